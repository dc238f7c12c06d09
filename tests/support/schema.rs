//! A strict checker for the part of JSON Schema (2020-12) that `shellward schema` uses.
//!
//! Stricter than the standard in one way: a property that the schema does not name is an error, so that no field can
//! be added to the output and forgotten in the schema. A keyword that it does not know is an error, too.

use serde_json::Value;

/// Everything that is wrong with `value`, each with its JSON pointer.
pub(crate) fn errors(root: &Value, value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    check(root, root, value, "", &mut out);
    out
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
    let Some(keywords) = schema.as_object() else {
        out.push(format!("{at}: the schema is no object"));
        return;
    };
    for (keyword, want) in keywords {
        let fits = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let target = want.as_str().and_then(|r| r.strip_prefix('#')).and_then(|p| root.pointer(p));
                match target {
                    Some(target) => check(root, target, value, at, out),
                    None => out.push(format!("{at}: {want} leads nowhere")),
                }
                true
            }
            "type" => match want {
                Value::String(t) => has_type(value, t),
                Value::Array(ts) => ts.iter().filter_map(Value::as_str).any(|t| has_type(value, t)),
                _ => false,
            },
            "const" => value == want,
            "enum" => want.as_array().is_some_and(|all| all.contains(value)),
            "minimum" => value.as_f64().is_none_or(|v| v >= want.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|v| v <= want.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|v| v.len() as u64 >= want.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|v| v.len() as u64 <= want.as_u64().unwrap()),
            // The one pattern there is: an ATT&CK technique.
            "pattern" => value.as_str().is_none_or(|s| {
                let (main, sub) = s.split_once('.').unwrap_or((s, "000"));
                let digits = |s: &str, n| s.len() == n && s.bytes().all(|b| b.is_ascii_digit());
                main.strip_prefix('T').is_some_and(|m| digits(m, 4)) && digits(sub, 3)
            }),
            "required" => {
                for name in want.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    if value.as_object().is_some_and(|o| !o.contains_key(name)) {
                        out.push(format!("{at}: {name} is missing"));
                    }
                }
                true
            }
            "properties" => {
                for (name, inner) in value.as_object().into_iter().flatten() {
                    match want.get(name) {
                        Some(schema) => check(root, schema, inner, &format!("{at}/{name}"), out),
                        None => out.push(format!("{at}: {name} is not in the schema")),
                    }
                }
                true
            }
            "items" => {
                for (i, inner) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, want, inner, &format!("{at}/{i}"), out);
                }
                true
            }
            _ => {
                out.push(format!("{at}: the checker does not know the keyword {keyword}"));
                true
            }
        };
        if !fits {
            out.push(format!("{at}: {value} against {keyword} {want}"));
        }
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => false,
    }
}
