#pragma once

/// \file Parts of records as text, as differences quote them.

#include "traces/records/records.hpp"

#include <cstdint>
#include <string>

namespace keyswap::model::verify {

/// "1 key", "2 keys".
[[nodiscard]] std::string keys_text(std::uint64_t count);

/// "2 keys of digest 0123...", high word first.
[[nodiscard]] std::string digest_text(MultisetDigest const& digest);

/// "2 keys of digest 0123... in this order".
[[nodiscard]] std::string sequence_text(SequenceDigest const& digest);

/// "step 2 by warp".
[[nodiscard]] std::string step_text(int step, std::string const& method);

/// "keys [3, 9) on bits [0, 32)".
[[nodiscard]] std::string sort_text(SortRangeRecord const& range);

/// "[3, 9)".
[[nodiscard]] std::string range_text(std::uint64_t begin, std::uint64_t end);

} // namespace keyswap::model::verify
