#pragma once

/// \file A few keys can decide whether a scatter takes place.

#include "model/buckets/bucket_histogram.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/schedule.hpp"

namespace keyswap::simulator {

/// Probability that some GPU must scatter its part of a bucket, i.e. that the bucket's keys have at
/// least two digits. 0 or 1 if keys were counted or are many. With expected counts, the few keys
/// outside the fullest digit are modelled as independent draws: if m are expected, at least one
/// exists with probability 1 - exp(-m). m comes from counts at a finer resolution, since a tenth of
/// a key per GPU would be rounded to 0.
[[nodiscard]] double scatter_chance(ScheduleInput const& input,
                                    model::Plan const& plan,
                                    model::BucketHistogram const& histogram);

} // namespace keyswap::simulator
