#include "tools/report/profiles/profile.hpp"

#include <algorithm>

namespace keyswap::tools {

std::int64_t Profile::duration_ns() const {
    std::int64_t end = 0;
    for (ProfileSpan const& span : spans) {
        end = std::max(end, span.end_ns);
    }
    return end;
}

std::vector<std::uint64_t> Profile::matrix() const {
    std::vector<std::uint64_t> bytes(gpus.size() * gpus.size(), 0);
    auto const place = [this](std::uint32_t gpu) {
        return static_cast<std::size_t>(std::ranges::lower_bound(gpus, gpu) - gpus.begin());
    };
    for (ProfileSpan const& span : spans) {
        if (span.route) {
            bytes[place(span.route->source) * gpus.size() + place(span.route->destination)] +=
                span.size_bytes;
        }
    }
    return bytes;
}

} // namespace keyswap::tools
