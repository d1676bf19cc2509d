#include "kernels/local/digit_choice.hpp"

namespace keyswap::kernels {

std::optional<DigitRow> digit_row_of(SortOptions const& options) {
    auto const found =
        find_digit_row(key_size_bytes(options.key_type), value_size_bytes(options.value_type));
    if (!found) {
        return std::nullopt;
    }
    DigitRow row = *found;
    if (options.ties() == Stability::stable && row.crowded == CrowdedSort::splitters) {
        row.crowded = CrowdedSort::cub; // splitters do not keep the order of equal keys
    }
    row.least_keys = options.tuning.digits_min.value_or(row.least_keys);
    row.least_counted_alone = options.tuning.digits_min.value_or(row.least_counted_alone);
    return row;
}

} // namespace keyswap::kernels
