#pragma once

#include "model/verify/verify_report.hpp"

#include <string>
#include <utility>

namespace keyswap::model::verify {

/// For a record that the run's header permits; else a difference without its check and place.
using Possible = tl::expected<void, Difference>;

[[nodiscard]] inline tl::unexpected<Difference> misfit(std::string expected, std::string recorded) {
    return tl::unexpected(
        differ(Check::input).expect(std::move(expected)).found(std::move(recorded)));
}

} // namespace keyswap::model::verify
