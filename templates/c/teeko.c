// The 25 squares, row by row from the top, and the mark to move.
// A square is 'X', 'O', or '.' if it is empty.
typedef struct {
    char squares[25];
    char mark;
} Position;

// Reads a position such as "X.O../...../...../...../..... first". The first player is X.
static Position parse(const char *line)
{
    Position position;
    for (int square = 0; square < 25; square++) {
        position.squares[square] = line[square + square / 5]; // A slash follows each row.
    }
    position.mark = strstr(line, "first") ? 'X' : 'O';
    return position;
}

// Returns whether two squares touch, also at a corner.
static int are_neighbours(int from, int to)
{
    return abs(from % 5 - to % 5) <= 1 && abs(from / 5 - to / 5) <= 1;
}

// Lists the empty squares, or moves such as a1-b1 once the four pieces are placed.
static void legal_moves(const Position *position, Moves *moves)
{
    int own = 0;
    for (int square = 0; square < 25; square++) {
        own += position->squares[square] == position->mark;
    }
    for (int to = 0; to < 25; to++) {
        if (position->squares[to] != '.') {
            continue;
        }
        if (own < 4) {
            add(moves, "%c%d", "abcde"[to % 5], to / 5 + 1);
            continue;
        }
        for (int from = 0; from < 25; from++) {
            if (position->squares[from] == position->mark && are_neighbours(from, to)) {
                add(moves, "%c%d-%c%d", "abcde"[from % 5], from / 5 + 1, "abcde"[to % 5],
                    to / 5 + 1);
            }
        }
    }
}
