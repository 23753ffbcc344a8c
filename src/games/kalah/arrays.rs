//! Positions of Kalah as array rows.
//!
//! A row has the first player's pits and store, the second player's, and the side to move.

use super::notation::stores;
use super::{Kalah, MAX_PITS, Move, Position};
use crate::game::{Arrays, SIDE_COLUMN, side_of};

impl Arrays<Kalah> for Kalah {
    fn columns(&self) -> Vec<String> {
        let of = |who: &str| {
            let pits = (1..=self.pits()).map(|pit| format!("{who}_pit_{pit}"));
            pits.chain([format!("{who}_store")]).collect::<Vec<_>>()
        };
        let mut columns = of("first");
        columns.extend(of("second"));
        columns.push(SIDE_COLUMN.into());
        columns
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        let pits = self.pits();
        for player in 0..2 {
            let own = &mut row[player * (pits + 1)..][..pits + 1];
            own[..pits].copy_from_slice(&position.pits[player][..pits]);
            own[pits] = position.stores[player];
        }
        row[2 * pits + 2] = position.side.index() as u8;
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let pits = self.pits();
        let mut position = Position::bare([0; MAX_PITS], [0; MAX_PITS]);
        for player in 0..2 {
            let own = &row[player * (pits + 1)..][..pits + 1];
            position.pits[player][..pits].copy_from_slice(&own[..pits]);
            position.stores[player] = own[pits];
        }
        position.side = side_of(row[2 * pits + 2])?;
        // Empty stores ask for the score to come, as does the notation without stores.
        let given = match position.stores {
            [0, 0] => [None; 2],
            given => given.map(Some),
        };
        stores(self, &position, given).map(|_| position)
    }

    fn all_moves(&self) -> Vec<Move> {
        (0..self.pits() as u8).map(Move).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};
    use crate::games::kalah::Rules;

    #[test]
    fn seeds_are_counted() {
        let rules = Rules {
            pits: 2,
            seeds: 2,
            empty_capture: false,
        };
        let game = Kalah::new(rules).unwrap();
        let read = |row: &[u8]| {
            game.read_row(row)
                .map(|position| game.format_position(&position))
        };
        assert_eq!(read(&[2, 2, 0, 2, 2, 0, 0]), Ok("2,2:0/2,2:0 first".into()));
        assert_eq!(
            read(&[0, 2, 1, 3, 1, 1, 1]),
            Ok("0,2:1/3,1:1 second".into())
        );
        assert_eq!(read(&[0, 2, 0, 3, 1, 0, 1]), Ok("0,2/3,1 second".into()));
        for wrong in [
            [2, 2, 1, 2, 2, 0, 0],
            [2, 2, 0, 2, 1, 2, 0],
            [2, 2, 0, 2, 2, 0, 2],
        ] {
            assert!(read(&wrong).is_err(), "{wrong:?}");
        }
        let endgame = Kalah::endgame(2, 5, false).unwrap();
        assert!(endgame.read_row(&[1, 1, 9, 1, 2, 7, 0]).is_ok());
        assert!(endgame.read_row(&[2, 2, 0, 1, 1, 0, 0]).is_err());
        assert_eq!(game.start(), game.read_row(&[2, 2, 0, 2, 2, 0, 0]).unwrap());
    }
}
