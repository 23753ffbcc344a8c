// The nine squares, row by row from the top, and the mark to move.
// A square is 'X', 'O', or '.' if it is empty.
typedef struct {
    char squares[9];
    char mark;
} Position;

// Reads a position such as "X.O......". X moves first.
static Position parse(const char *line)
{
    Position position;
    int empty = 0;
    for (int square = 0; square < 9; square++) {
        position.squares[square] = line[square];
        empty += line[square] == '.';
    }
    position.mark = empty % 2 == 1 ? 'X' : 'O';
    return position;
}

// Lists the names of the empty squares: a1 is top left, c3 bottom right.
static void legal_moves(const Position *position, Moves *moves)
{
    for (int square = 0; square < 9; square++) {
        if (position->squares[square] == '.') {
            add(moves, "%c%d", "abc"[square % 3], square / 3 + 1);
        }
    }
}
