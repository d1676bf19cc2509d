#include "simulator/platform/platform.hpp"

#include "simulator/platform/platform_cluster.hpp"
#include "simulator/platform/platform_text.hpp"
#include "simulator/platform/toml_text.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

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

Expected<Platform> load_platform(std::string_view name_or_path) {
    if (name_or_path.starts_with("cluster:")) {
        return load_cluster(name_or_path);
    }
    return load_platform_text(name_or_path).and_then([](PlatformText const& source) {
        return parse_platform(source.text, source.file);
    });
}

Expected<PlatformText> load_platform_text(std::string_view name_or_path) {
    KnownNames known;
    for (ShippedPlatform const& shipped : shipped_platforms()) {
        if (shipped.name == name_or_path) {
            return PlatformText{std::string(shipped.text), std::string(shipped.name) + ".toml"};
        }
        known.add(shipped.name);
    }
    std::string const path(name_or_path);
    if (std::error_code code; !std::filesystem::exists(path, code)) {
        return tl::unexpected(InputError{
            path,
            "is neither a shipped platform nor a file",
            known.remedy(
                path, "choose one of ", ", cluster:dgx-h100:N, or a path to a .toml file")});
    }
    return read_toml_file(path).map([&path](std::string const& text) {
        return PlatformText{text, path};
    });
}

std::uint64_t platform_hash(Platform const& platform) {
    // FNV-1a, 64 bits (Fowler, Noll, Vo).
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (char const c : write_platform(platform)) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return hash;
}

} // namespace keyswap::simulator
