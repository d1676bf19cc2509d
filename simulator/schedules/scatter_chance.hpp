#pragma once

/// \file Whether a scatter takes place at all can hang on a handful of keys.

#include "model/buckets/bucket_histogram.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/schedule.hpp"

namespace keyswap::simulator {

/// The probability that some GPU has to scatter its part of a bucket: that not all of the bucket's
/// keys have one digit. 0 or 1 where keys were counted or are many. Of expected counts, a few keys
/// beside the fullest digit are drawn independently, so that m expected ones are there with
/// probability 1 - exp(-m); m is taken from counts of finer resolution, since a tenth of a key a
/// GPU would be rounded away.
[[nodiscard]] double scatter_chance(ScheduleInput const& input,
                                    model::Plan const& plan,
                                    model::BucketHistogram const& histogram);

} // namespace keyswap::simulator
