#pragma once

#include "model/external/record_layout.hpp"
#include "model/keys/interval_slots.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Assigns records to the children of a range.
struct RecordClassifier {
    /// Counts the records of each child. \return false if a record belongs to no child
    std::function<bool(std::span<std::byte const> records, std::span<std::uint64_t> counts)> count;
    /// Copies records to byte offsets `places` of the area, and advances those.
    std::function<void(
        std::span<std::byte const> records, std::span<std::uint64_t> places, std::byte* area)>
        scatter;
};

/// \param intervals images of each child
[[nodiscard]] RecordClassifier
make_record_classifier(model::RecordLayout const& layout,
                       std::vector<model::CountedInterval> const& intervals);

} // namespace keyswap::tools
