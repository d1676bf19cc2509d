#pragma once

#include "model/external/key_ranges.hpp"
#include "tools/external/external_run.hpp"
#include "tools/external/files/range_files.hpp"

#include <vector>

namespace keyswap::tools {

/// Images of a range's records at model::sample_positions(); of the input, each rank reads a share.
/// \param files of `source`, none of them a stream
/// \pre all ranks call this if `source` is the whole input
[[nodiscard]] Expected<std::vector<model::uint128>> sample_range(ExternalRun& run,
                                                                 RangeState const& source,
                                                                 model::RangeTarget const& target,
                                                                 RangeFiles& files);

} // namespace keyswap::tools
