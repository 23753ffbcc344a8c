// The rows from the top and the side to move, 'B' or 'W'.
// A square is 'B', 'W', '.' if it is empty, or ' ' outside of the board.
typedef struct {
    char squares[6][6];
    char side;
} Position;

// Reads a position such as "..../.WB./.BW./.... B". Shorter rows are centred.
static Position parse(const char *line)
{
    Position position;
    int rows = 1; // As many as columns.
    for (const char *at = line; *at != '\0'; at++) {
        rows += *at == '/';
    }
    memset(position.squares, ' ', sizeof position.squares);
    for (int y = 0; y < rows; y++) {
        int length = (int)strcspn(line, "/ ");
        memcpy(&position.squares[y][(rows - length) / 2], line, (size_t)length);
        line += length + 1;
    }
    position.side = *line;
    return position;
}

// Returns the letter of a square, and ' ' outside of the board.
static char square(const Position *position, int x, int y)
{
    return x < 0 || x > 5 || y < 0 || y > 5 ? ' ' : position->squares[y][x];
}

// Returns the number of the opponent's discs that a new disc would enclose.
static int enclosed(const Position *position, int x, int y)
{
    char other = position->side == 'B' ? 'W' : 'B';
    int all = 0;
    for (int direction = 0; direction < 9; direction++) {
        int dx = direction % 3 - 1, dy = direction / 3 - 1;
        int count = 0;
        while (square(position, x + (count + 1) * dx, y + (count + 1) * dy) == other) {
            count++;
        }
        if (square(position, x + (count + 1) * dx, y + (count + 1) * dy) == position->side) {
            all += count;
        }
    }
    return all;
}

// Lists the squares where a disc would enclose others, such as b1, or "pass".
static void legal_moves(const Position *position, Moves *moves)
{
    for (int y = 0; y < 6; y++) {
        for (int x = 0; x < 6; x++) {
            if (square(position, x, y) == '.' && enclosed(position, x, y) > 0) {
                add(moves, "%c%d", 'a' + x, y + 1);
            }
        }
    }
    if (moves->count == 0) {
        add(moves, "pass");
    }
}
