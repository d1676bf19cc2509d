#include "simulator/cost/device_profile.hpp"
#include "simulator/cost/device_profile_embedded.hpp"
#include "simulator/cost/scaled_profile.hpp"
#include "simulator/platform/toml_text.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/lower_case.hpp"
#include "traces/errors/try.hpp"

#include <filesystem>
#include <system_error>

namespace keyswap::simulator {

Expected<DeviceProfile> load_device_profile(std::string_view name_or_path) {
    KnownNames known;
    std::string const name = lower_case(name_or_path);
    for (EmbeddedText const& profile : embedded_profiles()) {
        if (profile.name == name) {
            return parse_device_profile(profile.text, profile.name);
        }
        known.add(profile.name);
    }
    if (auto const sheet = find_gpu_sheet(name_or_path)) {
        return sheet->profile.empty() ? scaled_profile(*sheet)
                                      : load_device_profile(sheet->profile);
    }
    std::string const path(name_or_path == "-" ? "/dev/stdin" : name_or_path);
    if (std::error_code code; !std::filesystem::exists(path, code)) {
        return input_error(name_or_path,
                           "is neither a shipped device profile nor a file",
                           known.remedy(name,
                                        "shipped: ",
                                        ", or a GPU's name or four numbers "
                                        "as 'keyswap topology import --gpu' takes them"));
    }
    KEYSWAP_TRY(auto const text, read_toml_file(path));
    return parse_device_profile(text, path);
}

} // namespace keyswap::simulator
