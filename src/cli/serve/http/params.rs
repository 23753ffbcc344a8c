//! Query parameters.

use crate::cli::serve::problem::Problem;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

/// The names and values of query parameters, each name once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Reads query parameters.
    ///
    /// # Errors
    /// If they are not UTF-8, or a name is repeated.
    pub fn read(query: Option<&str>) -> Result<Params, Problem> {
        let decode = |text: &str| decode_part(&text.replace('+', " "));
        let mut params = Params::default();
        let pairs = query.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name)?, decode(value)?);
            if params.get(&name).is_some() {
                return Err(Problem::bad_request(format!(
                    "the parameter \"{name}\" comes twice"
                )));
            }
            params.0.push((name, value));
        }
        Ok(params)
    }

    /// Checks that all names are known.
    pub fn only(&self, known: &[&str]) -> Result<(), Problem> {
        let mut names = self.0.iter().map(|pair| &*pair.0);
        match names.find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let known = match known {
                    [] => "this address takes none".to_owned(),
                    known => format!("the parameters are {}", known.join(", ")),
                };
                Err(Problem::bad_request(format!(
                    "there is no parameter \"{name}\"; {known}"
                )))
            }
        }
    }

    /// Returns a value, if it is given.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut pairs = self.0.iter();
        pairs.find(|pair| pair.0 == name).map(|pair| &*pair.1)
    }

    /// Returns a value, if it is given and not empty.
    pub fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// Returns the names and values that are not empty, except those of `name`.
    pub fn others(&self, name: &str) -> Vec<(&str, String)> {
        let filled = self
            .0
            .iter()
            .filter(|pair| pair.0 != name && !pair.1.is_empty());
        filled.map(|pair| (&*pair.0, pair.1.clone())).collect()
    }

    /// Returns whether a flag is set: `name`, `name=true` or `name=1`.
    ///
    /// # Errors
    /// If the value is neither one of these nor `false` or `0`.
    pub fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.get(name) {
            None | Some("false" | "0") => Ok(false),
            Some("" | "true" | "1") => Ok(true),
            Some(other) => Err(Problem::bad_request(format!(
                "\"{name}={other}\": write true or false"
            ))),
        }
    }

    /// Returns a whole number up to `most`, or `usual` if there is none.
    ///
    /// # Errors
    /// If the value is anything else.
    pub fn number(&self, name: &str, usual: u64, most: u64) -> Result<u64, Problem> {
        let Some(given) = self.filled(name) else {
            return Ok(usual);
        };
        let number = given.parse().ok().filter(|&number| number <= most);
        number.ok_or_else(|| {
            Problem::bad_request(format!(
                "\"{name}={given}\": write a whole number from 0 to {most}"
            ))
        })
    }

    /// Returns a whole number, or `most` if it is larger.
    ///
    /// # Errors
    /// If the value is anything else.
    pub fn clamped(&self, name: &str, usual: usize, most: usize) -> Result<usize, Problem> {
        let number = self.number(name, usual as u64, u64::MAX)?;
        Ok(number.min(most as u64) as usize)
    }
}

/// Characters to encode in an address. Others remain, to make it easier to read.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b',')
    .remove(b':')
    .remove(b'/');

/// Decodes the result of [`encode_part`](crate::text::encode_part).
///
/// # Errors
/// If it is not UTF-8.
pub fn decode_part(part: &str) -> Result<String, Problem> {
    let decoded = percent_decode(part.as_bytes()).decode_utf8();
    decoded.map(Into::into).map_err(|_| {
        Problem::bad_request("the query of the address is not UTF-8 in percent-encoding")
    })
}

/// Encodes a value of a query parameter.
pub fn encode(value: &str) -> String {
    utf8_percent_encode(value, ENCODED)
        .to_string()
        .replace("%20", "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_back() {
        for value in ["2,2:0/1,1:3 first", "a&b=c", "+1", "ä %zz \"<>", ""] {
            let query = format!("position={}", encode(value));
            let params = Params::read(Some(&query)).unwrap();
            assert_eq!(params.get("position"), Some(value), "{query}");
        }
    }

    #[test]
    fn malformed_parameters_are_refused() {
        for query in ["a=%ff", "a=1&a=2", "b=1"] {
            let found = Params::read(Some(query)).and_then(|params| params.only(&["a"]));
            assert!(found.is_err(), "{query}");
        }
        assert!(Params::read(Some("a=maybe")).unwrap().flag("a").is_err());
    }
}
