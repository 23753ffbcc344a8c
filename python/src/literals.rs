//! Values such as tuples of numbers as texts, and back: like `repr` and `ast.literal_eval`.
//!
//! Each position of a large game is written and read. Most are tuples of whole numbers and short
//! strings, for which this is ten times as fast. Python's own functions write and read all others.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

/// The most tuples inside each other.
const DEEPEST: usize = 50;

/// Appends the text of a value; returns false if it is not one that this function writes.
///
/// A value that is text itself is written as it is. All others are written as `repr` does, after
/// `plain` of the package: True is 1.
pub fn write(value: &Bound<'_, PyAny>, text: &mut String) -> bool {
    match value.cast_exact::<PyString>() {
        Ok(whole) => whole.to_str().map(|whole| text.push_str(whole)).is_ok(),
        Err(_) => write_part(value, text, 0).is_some(),
    }
}

fn write_part(value: &Bound<'_, PyAny>, text: &mut String, depth: usize) -> Option<()> {
    if value.is_exact_instance_of::<PyInt>() {
        match value.extract::<i64>() {
            Ok(number) => text.push_str(itoa::Buffer::new().format(number)),
            Err(_) => text.push_str(value.repr().ok()?.to_str().ok()?),
        }
    } else if let Ok(parts) = value.cast_exact::<PyTuple>() {
        if depth == DEEPEST {
            return None;
        }
        text.push('(');
        for (number, part) in parts.iter_borrowed().enumerate() {
            if number > 0 {
                text.push_str(", ");
            }
            write_part(&part, text, depth + 1)?;
        }
        text.push_str(if parts.len() == 1 { ",)" } else { ")" });
    } else if let Ok(string) = value.cast_exact::<PyString>() {
        let is_usual = |letter: u8| matches!(letter, b' '..=b'~') && !b"'\\".contains(&letter);
        match string.to_str() {
            Ok(string) if string.bytes().all(is_usual) => {
                text.extend(["'", string, "'"]);
            }
            _ => text.push_str(string.repr().ok()?.to_str().ok()?),
        }
    } else if let Ok(truth) = value.cast_exact::<PyBool>() {
        text.push(if truth.is_true() { '1' } else { '0' });
    } else if value.is_none() {
        text.push_str("None");
    } else {
        let is_fraction = |float: &Bound<'_, PyFloat>| float.value().fract() != 0.0;
        let is_usual = value.is_exact_instance_of::<PyBytes>()
            || value.cast_exact::<PyFloat>().is_ok_and(is_fraction);
        let written = is_usual.then(|| value.repr().ok())??;
        text.push_str(written.to_str().ok()?);
    }
    Some(())
}

/// Returns the values of texts, as `ast.literal_eval` does.
///
/// `read` is called for each text that this function can't read.
#[pyfunction]
pub fn literals<'py>(
    texts: &Bound<'py, PyList>,
    read: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let values = PyList::empty(texts.py());
    for text in texts {
        let string = text.cast::<PyString>().ok();
        let literal = string.and_then(|string| literal(texts.py(), string.to_str().ok()?));
        values.append(match literal {
            Some(value) => value,
            None => read.call1((text,))?,
        })?;
    }
    Ok(values)
}

fn literal<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyAny>> {
    let (value, rest) = part(py, text, 0)?;
    rest.is_empty().then_some(value)
}

/// Returns the value at the start of a text, and the rest of the text.
fn part<'py, 'a>(
    py: Python<'py>,
    text: &'a str,
    depth: usize,
) -> Option<(Bound<'py, PyAny>, &'a str)> {
    let (value, length) = match text.as_bytes().first()? {
        b'(' if depth < DEEPEST => return parts(py, &text[1..], depth + 1),
        quote @ (b'\'' | b'"') => {
            let inner = &text[1..];
            let is_end = |letter: char| letter == char::from(*quote);
            let length = inner.find(is_end)?;
            if inner[..length].contains(|letter: char| letter == '\\' || letter.is_control()) {
                return None;
            }
            // Three quotes begin another kind of string.
            if length == 0 && inner[1..].starts_with(is_end) {
                return None;
            }
            (PyString::new(py, &inner[..length]).into_any(), length + 2)
        }
        b'-' | b'0'..=b'9' => number(py, text)?,
        b'N' => (
            py.None().into_bound(py),
            text.strip_prefix("None").map(|_| 4)?,
        ),
        _ => return None,
    };
    Some((value, &text[length..]))
}

/// Returns the tuple whose parts begin here, and the rest of the text.
fn parts<'py, 'a>(
    py: Python<'py>,
    mut text: &'a str,
    depth: usize,
) -> Option<(Bound<'py, PyAny>, &'a str)> {
    let mut all = Vec::new();
    loop {
        if let Some(rest) = text.strip_prefix(')') {
            return Some((PyTuple::new(py, all).ok()?.into_any(), rest));
        }
        let (value, rest) = part(py, text, depth)?;
        all.push(value);
        text = match rest.strip_prefix(',') {
            Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
            // Without a comma, brackets around one value are no tuple.
            None if rest.starts_with(')') && all.len() > 1 => rest,
            None => return None,
        };
    }
}

/// Returns the number at the start of a text, and its length.
fn number<'py>(py: Python<'py>, text: &str) -> Option<(Bound<'py, PyAny>, usize)> {
    let is_in_number = |letter: u8| letter.is_ascii_digit() || b"+-.e".contains(&letter);
    let length = text.bytes().position(|letter| !is_in_number(letter));
    let length = length.unwrap_or(text.len());
    let digits = text[..length].strip_prefix('-').unwrap_or(&text[..length]);
    // Python has no whole numbers such as 01, nor does each text of a number begin with a digit.
    if !digits.starts_with(|letter: char| letter.is_ascii_digit())
        || (digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0."))
    {
        return None;
    }
    let value = match digits.contains(['.', 'e']) {
        true => text[..length]
            .parse::<f64>()
            .ok()?
            .into_pyobject(py)
            .ok()?
            .into_any(),
        false => match text[..length].parse::<i64>() {
            Ok(number) => number.into_pyobject(py).ok()?.into_any(),
            Err(_) => py.get_type::<PyInt>().call1((&text[..length],)).ok()?,
        },
    };
    Some((value, length))
}
