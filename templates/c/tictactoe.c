// The nine cells, row by row from the top, and the mark to move.
// A cell is 'X', 'O', or '.' if it is empty.
typedef struct {
    char cells[9];
    char mark;
} Position;

// Reads a position such as "X.O......". X moves first.
static Position parse(const char *line)
{
    Position position;
    int empty = 0;
    for (int cell = 0; cell < 9; cell++) {
        position.cells[cell] = line[cell];
        empty += line[cell] == '.';
    }
    position.mark = empty % 2 == 1 ? 'X' : 'O';
    return position;
}

// Lists the names of the empty cells: a1 is top left, c3 bottom right.
static void legal_moves(const Position *position, Moves *moves)
{
    for (int cell = 0; cell < 9; cell++) {
        if (position->cells[cell] == '.') {
            add(moves, "%c%d", "abc"[cell % 3], cell / 3 + 1);
        }
    }
}
