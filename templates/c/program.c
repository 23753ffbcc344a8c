// Plays GAME: reads a position per line and answers each with a move.
//
// It plays a random legal move. Put your own idea into `choose`.
//
// Compile and check it:
//   COMPILE
//   CHECK

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A list of moves, as texts.
typedef struct {
    int count;
    char names[512][16];
} Moves;

// Adds a move, which is written as by printf.
static void add(Moves *moves, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(moves->names[moves->count++], sizeof moves->names[0], format, values);
    va_end(values);
}

// RULES

// Returns the move to play. Your idea goes here.
static const char *choose(const Position *position)
{
    static Moves moves;
    moves.count = 0;
    legal_moves(position, &moves);
    return moves.names[rand() % moves.count];
}

int main(void)
{
    char line[512];
    srand((unsigned)time(NULL));
    while (fgets(line, sizeof line, stdin)) {
        Position position = parse(line);
        puts(choose(&position));
        fflush(stdout); // Zermelo waits for each answer, so send it at once.
    }
    return 0;
}
