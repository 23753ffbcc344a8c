// The rows from the top, and the side to move.
// They are in turn horizontal lines ('-' or '.'), and vertical lines ('|' or '.') with the owners
// of the boxes between them.
typedef struct {
    int count; // Number of rows.
    char rows[16][16];
    int is_first;
} Position;

// Reads a position such as "--/|2|../-./...../.. first".
static Position parse(const char *line)
{
    Position position = {0};
    do {
        size_t length = strcspn(line, "/ ");
        memcpy(position.rows[position.count++], line, length);
        line += length + 1;
    } while (line[-1] == '/');
    position.is_first = strncmp(line, "first", 5) == 0;
    return position;
}

// Lists the lines that aren't drawn, each by its two dots, such as a1-b1. Dot a1 is top left.
static void legal_moves(const Position *position, Moves *moves)
{
    for (int number = 0; number < position->count; number++) {
        const char *row = position->rows[number];
        int y = number / 2 + 1;
        for (int place = 0; row[place] != '\0'; place++) {
            if (row[place] != '.') {
                continue;
            }
            if (number % 2 == 0) {
                add(moves, "%c%d-%c%d", 'a' + place, y, 'a' + place + 1, y);
            } else if (place % 2 == 0) {
                int x = place / 2;
                add(moves, "%c%d-%c%d", 'a' + x, y, 'a' + x, y + 1);
            }
        }
    }
}
