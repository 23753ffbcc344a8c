//! Code shared by the measuring tools.

/// Runs generic code on the game that a rules string names.
#[macro_export]
macro_rules! with_game_of {
    ($rules:expr, $game:pat => $body:expr) => {{
        use zermelo::game::Family;
        let (name, parameters) = $rules.split_once(' ').unwrap_or(($rules, ""));
        macro_rules! run {
            ($family:expr) => {{
                let $game = $family.read_rules(parameters)?;
                $body
            }};
        }
        match name {
            "kalah" => run!(zermelo::games::kalah::KalahFamily),
            "tictactoe" => run!(zermelo::games::tictactoe::TicTacToeFamily),
            "connect4" => run!(zermelo::games::connect4::Connect4Family),
            "reversi4" | "reversi24" => {
                use zermelo::games::reversi::Board;
                let board = match name {
                    "reversi4" => Board::FourByFour,
                    _ => Board::Octagon,
                };
                run!(board)
            }
            _ => Err(format!("{name} is no game that is measured").into()),
        }
    }};
}
