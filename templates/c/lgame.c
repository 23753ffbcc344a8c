// The 16 squares, row by row from the top, and the digit of the side to move.
// A square is '1', '2', 'N' for a neutral piece, or '.' if it is free.
typedef struct {
    char squares[16];
    char own;
} Position;

// Reads a position such as "N11./.21./.21./.22N first".
static Position parse(const char *line)
{
    Position position;
    for (int square = 0; square < 16; square++) {
        position.squares[square] = line[square + square / 4]; // A slash follows each row.
    }
    position.own = strstr(line, "first") ? '1' : '2';
    return position;
}

static int is_free(const Position *position, int square)
{
    return position->squares[square] == '.' || position->squares[square] == position->own;
}

// Lists the moves of the L to a place: a bit of `shape` for each of its squares.
static void add_moves_to(const Position *position, int shape, Moves *moves)
{
    char name[9] = "";
    int length = 0, own = 0;
    for (int square = 0; square < 16; square++) {
        if (shape >> square & 1) {
            if (!is_free(position, square)) {
                return;
            }
            own += position->squares[square] == position->own;
            name[length++] = "abcd"[square % 4];
            name[length++] = "1234"[square / 4];
        }
    }
    if (own == 4) {
        return; // The L would stay where it is.
    }
    add(moves, "%s", name);
    for (int from = 0; from < 16; from++) {
        for (int to = 0; to < 16; to++) {
            if (position->squares[from] == 'N' && is_free(position, to) && !(shape >> to & 1)) {
                add(moves, "%s+%c%d-%c%d", name, "abcd"[from % 4], from / 4 + 1, "abcd"[to % 4],
                    to / 4 + 1);
            }
        }
    }
}

// Lists the moves: the L's new squares, and perhaps a neutral piece's old and new square.
// An L is a corner, two squares from it in one direction, and one across.
static void legal_moves(const Position *position, Moves *moves)
{
    for (int number = 0; number < 16 * 8; number++) {
        int x = number % 4, y = number / 4 % 4, is_row = number / 16 % 2;
        int along = number / 32 % 2 ? 2 : -2, across = number / 64 ? 1 : -1;
        int end_x = x + (is_row ? along : across), end_y = y + (is_row ? across : along);
        if (end_x < 0 || end_x > 3 || end_y < 0 || end_y > 3) {
            continue;
        }
        int corner = 4 * y + x, step = (is_row ? 1 : 4) * along / 2;
        int side = corner + (is_row ? 4 : 1) * across;
        int shape = 1 << corner | 1 << (corner + step) | 1 << (corner + 2 * step) | 1 << side;
        add_moves_to(position, shape, moves);
    }
}
