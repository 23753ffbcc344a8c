// The total and the number named last, which is 0 at the start.
typedef struct {
    int total;
    int last;
} Position;

// Reads a position such as "5,2 first", or the start, "0 first".
static Position parse(const char *line)
{
    Position position = {0};
    sscanf(line, "%d,%d", &position.total, &position.last);
    return position;
}

// Lists the numbers that may be named.
static void legal_moves(const Position *position, Moves *moves)
{
    for (int number = 1; number <= 3; number++) {
        if (number != position->last) {
            add(moves, "%d", number);
        }
    }
}
