/// The pits and the captured seeds of a player. The leftmost pit comes first.
struct Player {
    pits: Vec<u32>,
    store: u32,
}

/// The side to move and its opponent.
struct Position {
    own: Player,
    other: Player,
}

/// Reads a position such as "2,0,1:3/2,2,2:0 first".
///
/// There the first player has the pits 2,0,1 and has captured 3 seeds.
fn parse(line: &str) -> Position {
    let (board, side) = line.trim().split_once(' ').expect("a side");
    let (first, second) = board.split_once('/').expect("two players");
    let (first, second) = (parse_player(first), parse_player(second));
    match side {
        "first" => Position {
            own: first,
            other: second,
        },
        _ => Position {
            own: second,
            other: first,
        },
    }
}

fn parse_player(text: &str) -> Player {
    let (pits, store) = text.split_once(':').expect("a store");
    let number = |seeds: &str| seeds.parse().expect("a number of seeds");
    Player {
        pits: pits.split(',').map(number).collect(),
        store: number(store),
    }
}

/// Returns the numbers of the own pits that may be sown. The leftmost pit is 1.
fn legal_moves(position: &Position) -> Vec<String> {
    let (own, other) = (&position.own.pits, &position.other.pits);
    let is_other_empty = other.iter().all(|&seeds| seeds == 0);
    let mut moves = Vec::new();
    for pit in 0..own.len() {
        // If the opponent has no seeds, the last seed must come that far.
        let needed = if is_other_empty { own.len() - pit } else { 1 };
        if own[pit] as usize >= needed {
            moves.push((pit + 1).to_string());
        }
    }
    moves
}
