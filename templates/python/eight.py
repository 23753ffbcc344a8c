def parse(line):
    """Returns the total and the number named last, which is 0 at the start.

    In "5,2 first" the total is 5 and the last number 2. The start is "0 first".
    """
    numbers, _side = line.split()
    total, _, last = numbers.partition(",")
    return int(total), int(last or 0)


def legal_moves(position):
    """Returns the numbers that may be named."""
    _total, last = position
    return [str(number) for number in (1, 2, 3) if number != last]
