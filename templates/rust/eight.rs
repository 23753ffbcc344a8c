/// The total and the number named last, which is 0 at the start.
struct Position {
    total: u32,
    last: u32,
}

/// Reads a position such as "5,2 first", or the start, "0 first".
fn parse(line: &str) -> Position {
    let (numbers, _side) = line.trim().split_once(' ').expect("a side");
    let (total, last) = numbers.split_once(',').unwrap_or((numbers, "0"));
    let number = |text: &str| text.parse().expect("a number");
    Position {
        total: number(total),
        last: number(last),
    }
}

/// Returns the numbers that may be named.
fn legal_moves(position: &Position) -> Vec<String> {
    let numbers = (1..=3).filter(|&number| number != position.last);
    numbers.map(|number: u32| number.to_string()).collect()
}
