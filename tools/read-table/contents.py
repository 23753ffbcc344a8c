"""A table with its game: the scores of positions."""

from collections import Counter, defaultdict

from damage import demand


class Contents:
    def __init__(self, file, game):
        self.layout, self.game = file.layout, game
        self.is_ranked = file.layout.key_bytes == 0
        demand(self.is_ranked == game.is_ranked, "this game's tables have the other layout")
        self.derived = {}

    def score(self, position):
        """Returns the score of a position for the side to move, or None if the table has none."""
        final = self.game.final_score(position)
        if final is not None:
            return final
        canonical, banked = self.game.canonical(position)
        score = self._score_of_class(canonical)
        return None if score is None else score + banked

    def _score_of_class(self, canonical):
        place = self.game.place(canonical)
        if not self.is_ranked:
            code = self.layout.code(place)
            return None if code is None else self.layout.score(code)
        segment = place[0]
        if segment >= len(self.layout.segments):
            return None
        code = self.layout.code(*place)
        if code is None:
            return None
        if segment not in self.layout.derived:
            return self.layout.score(segment, code)
        if canonical not in self.derived:
            self.derived[canonical] = self._best(canonical)
        return self.derived[canonical]

    def _best(self, position):
        """Returns the best score of the moves."""
        scores = []
        for child, moves_again in self.game.children(position):
            score = self.score(child)
            demand(score is not None, f"{self.game.write(child)} is missing")
            scores.append(score if moves_again else -score)
        return max(scores)

    def classes(self, absent):
        """Iterates over the classes with their scores, in the table's order; also absent ones, if
        requested."""
        return self._ranked(absent) if self.is_ranked else self._keyed()

    def _ranked(self, absent):
        for number, segment in enumerate(self.layout.segments):
            counts = Counter()
            for row in range(segment.rows):
                for column in range(segment.columns):
                    canonical = self.game.at(number, row, column)
                    score = self._score_of_class(canonical)
                    if score is not None:
                        counts[score] += 1
                    if absent or score is not None:
                        yield self.game.write(canonical), score
            expected = {
                self.layout.score(number, code): count
                for code, count in enumerate(segment.counts)
                if count
            }
            demand(counts == expected, f"the counts of segment {number} are wrong")

    def _keyed(self):
        layers = defaultdict(list)
        for key, code in self.layout.entries():
            canonical = self.game.at(key)
            demand(self.game.canonical(canonical)[0] == canonical, f"{key:#x} is no class's key")
            layers[self.game.layer(canonical)].append(code)
            yield self.game.write(canonical), self.layout.score(code)
        self.layout.check_counts(layers)
