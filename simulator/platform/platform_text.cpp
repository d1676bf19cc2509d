#include "simulator/platform/platform_text.hpp"

#include "simulator/platform/numa_mode.hpp"
#include "simulator/platform/toml_text.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <filesystem>
#include <system_error>

namespace keyswap::simulator {

Expected<PlatformText> load_platform_text(std::string_view name_or_path) {
    KnownNames known;
    std::string_view const name = split_numa_mode(name_or_path).platform;
    for (EmbeddedText const& shipped : shipped_platforms()) {
        if (shipped.name == name) {
            return PlatformText{std::string(shipped.text), std::string(shipped.name) + ".toml"};
        }
        known.add(shipped.name);
    }
    std::string const path(name == "-" ? "/dev/stdin" : name);
    if (std::error_code code; !std::filesystem::exists(path, code)) {
        return input_error(
            path,
            "is neither a shipped platform nor a file",
            known.remedy(
                path,
                "choose one of ",
                ", cluster:dgx-h100:N, dgx-a100:nps4 for a NUMA mode, or a path to a .toml file"));
    }
    return read_toml_file(path).map([&path](std::string const& text) {
        return PlatformText{text, path};
    });
}

Expected<Platform> load_node(std::string_view name_or_path) {
    KEYSWAP_TRY(auto const source, load_platform_text(name_or_path));
    KEYSWAP_TRY(auto platform, parse_platform(source.text, source.file));
    return in_numa_mode(std::move(platform), split_numa_mode(name_or_path));
}

} // namespace keyswap::simulator
