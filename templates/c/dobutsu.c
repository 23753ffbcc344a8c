// The rows from the top, the pieces in hand, and whether the first player moves.
// The first player's pieces are upper-case.
typedef struct {
    char squares[4][3];
    char hand[8];
    int is_first;
} Position;

// Reads a position such as "gle/.c./.C./ELG - first".
static Position parse(const char *line)
{
    Position position = {0};
    char side[8] = "", board[16] = "";
    sscanf(line, "%15s %7s %7s", board, position.hand, side);
    for (int y = 0; y < 4; y++) {
        memcpy(position.squares[y], &board[4 * y], 3);
    }
    position.is_first = strcmp(side, "first") == 0;
    return position;
}

// Returns whether a piece can step so many columns to the side and rows forward.
static int can_step(char piece, int aside, int ahead)
{
    if (abs(aside) > 1 || abs(ahead) > 1) {
        return 0;
    }
    const char *pieces = aside == 0 ? (ahead == 1 ? "LGHC" : "LGH")
        : ahead == 0                ? "LGH"
        : ahead == 1                ? "LEH"
                                    : "LE";
    return strchr(pieces, piece) != NULL;
}

static int is_own(const Position *position, char piece)
{
    return position->is_first ? piece >= 'A' && piece <= 'Z' : piece >= 'a' && piece <= 'z';
}

// Lists the moves: a piece's old and new square, b3-b2, or a drop, C*b3. Cell a1 is top left.
static void legal_moves(const Position *position, Moves *moves)
{
    int forward = position->is_first ? -1 : 1; // The first player moves up.
    for (int to = 0; to < 12; to++) {
        int to_x = to % 3, to_y = to / 3;
        if (is_own(position, position->squares[to_y][to_x])) {
            continue;
        }
        for (int from = 0; from < 12; from++) {
            int x = from % 3, y = from / 3;
            char piece = position->squares[y][x];
            int kind = position->is_first ? piece : piece - 'a' + 'A';
            if (is_own(position, piece) && can_step(kind, to_x - x, (to_y - y) * forward)) {
                add(moves, "%c%d-%c%d", 'a' + x, y + 1, 'a' + to_x, to_y + 1);
            }
        }
        for (const char *kind = "CEG"; *kind != '\0'; kind++) {
            char held = position->is_first ? *kind : *kind - 'A' + 'a';
            if (position->squares[to_y][to_x] == '.' && strchr(position->hand, held)) {
                add(moves, "%c*%c%d", *kind, 'a' + to_x, to_y + 1);
            }
        }
    }
}
