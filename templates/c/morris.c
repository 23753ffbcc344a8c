// The option --steps: orthogonal, lines, neighbours or any.
static const char *const STEPS = "orthogonal";

// The nine squares, row by row from the top, and the mark to move.
// A square is 'X', 'O', or '.' if it is empty.
typedef struct {
    char squares[9];
    char mark;
} Position;

// Reads a position such as "X.O/.../... first". The first player is X.
static Position parse(const char *line)
{
    Position position;
    for (int square = 0; square < 9; square++) {
        position.squares[square] = line[square + square / 3]; // A slash follows each row.
    }
    position.mark = strstr(line, "first") ? 'X' : 'O';
    return position;
}

// Returns whether a piece may move between two squares, if the new one is empty.
static int can_step(int from, int to)
{
    int dx = abs(from % 3 - to % 3), dy = abs(from / 3 - to / 3);
    int is_diagonal = dx == 1 && dy == 1, is_by_middle = from == 4 || to == 4;
    return dx + dy == 1 || strcmp(STEPS, "any") == 0
        || (strcmp(STEPS, "neighbours") == 0 && is_diagonal)
        || (strcmp(STEPS, "lines") == 0 && is_diagonal && is_by_middle);
}

// Lists the empty squares, or moves such as a1-b1 once the three pieces are placed.
static void legal_moves(const Position *position, Moves *moves)
{
    int own = 0;
    for (int square = 0; square < 9; square++) {
        own += position->squares[square] == position->mark;
    }
    for (int to = 0; to < 9; to++) {
        if (position->squares[to] != '.') {
            continue;
        }
        if (own < 3) {
            add(moves, "%c%d", "abc"[to % 3], to / 3 + 1);
            continue;
        }
        for (int from = 0; from < 9; from++) {
            if (position->squares[from] == position->mark && can_step(from, to)) {
                add(moves, "%c%d-%c%d", "abc"[from % 3], from / 3 + 1, "abc"[to % 3], to / 3 + 1);
            }
        }
    }
}
