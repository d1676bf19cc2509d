#include "simulator/platform/platform.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::simulator {
namespace {

template <class T>
T const& named(std::vector<T> const& list, std::string_view name) {
    auto const found =
        std::find_if(list.begin(), list.end(), [&](T const& entry) { return entry.name == name; });
    KEYSWAP_EXPECTS(found != list.end());
    return *found;
}

} // namespace

Device const& device_of(Platform const& platform, std::uint32_t gpu) {
    KEYSWAP_EXPECTS(gpu < platform.gpus.size());
    return named(platform.devices, platform.gpus[gpu].device);
}

LinkKind const& kind_of(Platform const& platform, Link const& link) {
    return named(platform.link_kinds, link.kind);
}

std::uint64_t platform_hash(Platform const& platform) {
    // 64-bit FNV-1a (Fowler, Noll, Vo).
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (char const c : write_platform(platform)) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return hash;
}

} // namespace keyswap::simulator
