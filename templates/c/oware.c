// The seeds of both players, and the side to move. Player 0 is the first, and pit 0 the leftmost.
typedef struct {
    int pits; // Number of pits of each player, at most 6.
    int seeds[2][6];
    int captured[2];
    int side;
} Position;

// Reads a position such as "2,0,1:3/2,2,2:0 first".
// There the first player has the pits 2,0,1 and has captured 3 seeds.
static Position parse(const char *line)
{
    Position position = {0};
    for (int player = 0; player < 2; player++) {
        char *end;
        position.pits = 0;
        do {
            position.seeds[player][position.pits++] = (int)strtol(line, &end, 10);
            line = end + 1;
        } while (*end == ',');
        position.captured[player] = (int)strtol(line, &end, 10);
        line = end + 1;
    }
    position.side = strncmp(line, "second", 6) == 0;
    return position;
}

// Lists the numbers of the own pits that may be sown. The leftmost pit is 1.
static void legal_moves(const Position *position, Moves *moves)
{
    const int *own = position->seeds[position->side];
    const int *other = position->seeds[1 - position->side];
    int others = 0;
    for (int pit = 0; pit < position->pits; pit++) {
        others += other[pit];
    }
    for (int pit = 0; pit < position->pits; pit++) {
        // If the opponent has no seeds, the last seed must come that far.
        int needed = others == 0 ? position->pits - pit : 1;
        if (own[pit] >= needed) {
            add(moves, "%d", pit + 1);
        }
    }
}
