#pragma once

#include "tools/external/external_run.hpp"
#include "tools/external/files/range_files.hpp"

namespace keyswap::tools {

/// Distributes the records of `source` among the runs of the children in run.manifest.split, from
/// the last saved point on. \param files of `source`
/// \pre run.manifest.split has a value; all ranks call this if `source` is the whole input
[[nodiscard]] Expected<void>
distribute_range(ExternalRun& run, RangeState const& source, RangeFiles& files);

} // namespace keyswap::tools
