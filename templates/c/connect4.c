// The squares, row by row from the top, and the player to move, 'X' or 'O'.
// A square is a player's disc, or '.' if it is empty.
typedef struct {
    int columns;
    int rows;
    char squares[64];
    char player;
} Position;

// Reads a position such as ".../.O./.X.". X moves first.
static Position parse(const char *line)
{
    Position position = {0};
    int count = 0, discs = 0;
    position.rows = 1;
    for (; *line == '.' || *line == 'X' || *line == 'O' || *line == '/'; line++) {
        if (*line == '/') {
            position.rows++;
        } else {
            position.squares[count++] = *line;
            discs += *line != '.';
        }
    }
    position.columns = count / position.rows;
    position.player = discs % 2 == 0 ? 'X' : 'O';
    return position;
}

// Lists the numbers of the columns that aren't full. The leftmost column is 1.
static void legal_moves(const Position *position, Moves *moves)
{
    for (int column = 0; column < position->columns; column++) {
        if (position->squares[column] == '.') {
            add(moves, "%d", column + 1);
        }
    }
}
