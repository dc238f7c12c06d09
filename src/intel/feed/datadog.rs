//! The manifests of DataDog/malicious-software-packages-dataset: `samples/ECOSYSTEM/manifest.json`, an object of packages
//! with `null` for one that was malicious from the beginning, or the list of versions that were.

use super::{FeedError, Sink, json};
use crate::intel::db::Threat;
use crate::intel::ecosystem;
use crate::intel::indicator::Indicator;
use std::collections::BTreeMap;
use std::path::Path;

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    let folder = path.parent().and_then(Path::file_name).and_then(|f| f.to_str()).unwrap_or_default();
    let Some(eco) = ecosystem::canonical(&folder.replace('_', "-")) else {
        return Err(FeedError::wrong(path, "datadog", format!("the folder {folder:?} names no ecosystem")));
    };
    let manifest: BTreeMap<String, Option<Vec<String>>> = json(path, "datadog")?;
    for (name, versions) in manifest {
        match versions {
            None => sink.add(Indicator::package(eco, &name), Threat::Package, None, 0),
            Some(all) => {
                sink.add(Indicator::versions(eco, &name), Threat::Package, None, 0);
                for version in all {
                    sink.add(Indicator::version(eco, &name, &version), Threat::Package, None, 0);
                }
            }
        }
    }
    Ok(())
}
