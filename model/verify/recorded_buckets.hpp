#pragma once

#include "model/partition/bucket_space.hpp"
#include "model/plan/sort_config.hpp"
#include "model/verify/recorded_run.hpp"

namespace keyswap::model::verify {

/// What the prefixes of a run's buckets mean: digits, or what the run's bucket functions say. A
/// function that divides no bucket of the run is passed over.
/// \param config of the run's header (config_of())
[[nodiscard]] model::BucketSpace bucket_space_of(model::SortConfig const& config,
                                                 RecordedRun const& run);

} // namespace keyswap::model::verify
