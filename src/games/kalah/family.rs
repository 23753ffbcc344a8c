//! Kalah on the command line and in rules strings.

use super::{Kalah, Rules};
use crate::game::{Family, NoGame, Parameter, Takes, Values};

/// Kalah with 1 to 6 pits per side, and its endgames.
#[derive(Clone, Copy, Debug)]
pub struct KalahFamily;

impl Family for KalahFamily {
    type Game = Kalah;

    fn name(&self) -> &'static str {
        "kalah"
    }

    fn about(&self) -> &'static str {
        "Kalah, the mancala game with extra turns and captures"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("kalah.txt")
    }

    fn details(&self) -> &'static str {
        "Memory: with 6 pits, 0.45 GB for 2 seeds and 17 GB for 3 seeds; 0.3 GB and 10 GB do, but \
         then it takes a little longer, and 4 GB with 10 GB of files. With fewer pits and seeds, some tens of megabytes. `--method search` \
         takes 2.7 GB with 6 pits and 2 seeds, and 150 GB with 3 seeds. What is too large to solve can be searched: `query kalah --seeds 3`."
    }

    fn search_details(&self) -> &'static str {
        "Searches any position, on all cores. First it builds a database of the endgame in memory.\n\n\
         Memory: 64 MB are enough for small boards. With 6 pits, 3 seeds need less than 0.5 GB, 4 \
         seeds use up to 0.7 GB and 5 seeds up to 8 GB; for many positions at once, with --batch, 4 \
         seeds use up to 8 GB, too. With less it takes longer; 34 MB or so is the least."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 4] = [
            Parameter::number("pits", 6, "Pits per side, 1 to 6"),
            Parameter::number("seeds", 2, "Seeds in each pit at the start").one_of("size"),
            Parameter::number("up-to", 20, "Endgame: all positions with at most N seeds")
                .of("seeds")
                .one_of("size"),
            Parameter::flag("empty-capture", "Capture also if the opposite pit is empty"),
        ];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Kalah, NoGame> {
        let pits = values.need("pits")?;
        let empty_capture = values.is_given("empty-capture");
        match values.number("up-to")? {
            Some(up_to) => Kalah::endgame(pits, up_to, empty_capture),
            None => Kalah::new(Rules {
                pits,
                seeds: values.need("seeds")?,
                empty_capture,
            }),
        }
    }

    fn read_rules(&self, parameters: &str) -> Result<Kalah, NoGame> {
        let words = parameters.replace("capture=standard", "empty-capture=no");
        let words = words.replace("capture=empty", "empty-capture=yes");
        self.game(&Values::of_words(self.parameters(), &words)?)
    }

    fn table_name(&self, game: &Kalah) -> String {
        let rules = game.parameters();
        let variant = rules.variant("-empty-capture");
        let size = match game.up_to() {
            Some(up_to) => format!("up-to-{up_to}"),
            None => rules.seeds.to_string(),
        };
        format!("kalah-{}-{size}{variant}.bin", rules.pits)
    }

    fn search_memory(&self) -> Option<u64> {
        None
    }

    fn takes(&self) -> Takes {
        Takes::Endgames
    }
}
