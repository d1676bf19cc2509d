#pragma once

/// \file How often the keys of a block share a digit in the passes of the library's radix sort,
/// which reads digits from the lowest one up: keys of few values meet alike in all but a few
/// passes.

#include "model/keys/key_source.hpp"
#include "simulator/schedules/schedule.hpp"

#include <vector>

namespace keyswap::simulator {

/// Probability that two keys of a block share the digit of a pass: [passes], the lowest digit
/// first, the highest with the remaining bits. Estimated from 16 keys in each of 256 blocks for the
/// first pass, and from the same keys ordered by all lower digits for later ones; 0 for fewer than
/// 2^16 keys, whose sort launches bind.
[[nodiscard]] std::vector<double>
pass_concentrations(model::KeySource& keys, int bits, int digit_bits);

/// Sum over the passes of the library's sort of the lowest `bits` bits.
[[nodiscard]] double pass_concentration(ScheduleInput const& input, int bits);

} // namespace keyswap::simulator
