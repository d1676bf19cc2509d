#include "simulator/calibration/error_summary.hpp"

#include "simulator/prediction/prediction.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::simulator {

ErrorSummary summary_of_errors(std::vector<double> errors, std::string phase) {
    if (errors.empty()) {
        return {std::move(phase)};
    }
    std::ranges::sort(errors);
    std::size_t const rank = (95 * errors.size() + 99) / 100; // ceil(0.95 count)
    return {
        std::move(phase), errors.size(), median_of_sorted(errors), errors[rank - 1], errors.back()};
}

} // namespace keyswap::simulator
