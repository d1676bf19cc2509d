#pragma once

#include "model/partition/bucket_space.hpp"
#include "model/plan/sort_config.hpp"
#include "model/verify/recorded_run.hpp"

namespace keyswap::model::verify {

/// Maps the prefixes of a run's buckets to images: prefixes of digits, or as defined by the run's
/// bucket functions. Ignores functions of unknown buckets.
/// \param config config_of() the run's header
[[nodiscard]] BucketSpace bucket_space_of(SortConfig const& config, RecordedRun const& run);

} // namespace keyswap::model::verify
