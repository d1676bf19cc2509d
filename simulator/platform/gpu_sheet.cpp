#include "simulator/platform/gpu_sheet.hpp"

#include "simulator/platform/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GB = 1'000'000'000;
constexpr std::uint64_t GiB = 1ULL << 30U;

/// From NVIDIA's data sheets and whitepapers; clocks are boost clocks.
std::array<GpuSheet, 15> const sheets{{
    {"V100", 32 * GiB, 900 * GB, 80, 1530, 25 * GB, 3, "V100"},
    {"A100", 40 * GiB, 1555 * GB, 108, 1410, 25 * GB, 4, "A100"},
    {"A100-SXM-80GB", 80 * GiB, 2039 * GB, 108, 1410, 25 * GB, 4, ""},
    {"A100-PCIE-40GB", 40 * GiB, 1555 * GB, 108, 1410, 25 * GB, 4, "A100"},
    {"A100-PCIE-80GB", 80 * GiB, 1935 * GB, 108, 1410, 25 * GB, 4, ""},
    {"A30", 24 * GiB, 933 * GB, 56, 1440, 25 * GB, 4, ""},
    {"L4", 24 * GB, 300 * GB, 58, 2040, 0, 4, ""},
    {"L40S", 48 * GB, 864 * GB, 142, 2520, 0, 4, ""},
    {"RTX-4090", 24 * GB, 1008 * GB, 128, 2520, 0, 4, ""},
    {"RTX-6000-ADA", 48 * GB, 960 * GB, 142, 2505, 0, 4, ""},
    {"H100", 80 * GiB, 3350 * GB, 132, 1980, 25 * GB, 5, "H100"},
    {"H100-PCIE", 80 * GiB, 2039 * GB, 114, 1755, 25 * GB, 5, ""},
    {"H100-NVL", 94 * GB, 3938 * GB, 132, 1785, 25 * GB, 5, ""},
    {"H200", 141 * GB, 4800 * GB, 132, 1980, 25 * GB, 5, "H200"},
    {"B200", 180 * GB, 8000 * GB, 148, 1965, 50 * GB, 5, "B200"},
}};

/// Names that drivers write for a sheet of another name, in capitals and digits only.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> driver_names{
    {{"V100SXM216GB", "V100"},
     {"V100SXM232GB", "V100"},
     {"A100SXM440GB", "A100"},
     {"A100SXM480GB", "A100-SXM-80GB"},
     {"A100SXM80GB", "A100-SXM-80GB"},
     {"A10080GBSXM", "A100-SXM-80GB"},
     {"A10080GBPCIE", "A100-PCIE-80GB"},
     {"RTX6000ADAGENERATION", "RTX-6000-ADA"},
     {"6000ADA", "RTX-6000-ADA"},
     {"4090", "RTX-4090"},
     {"H10080GBHBM3", "H100"},
     {"H100SXM", "H100"},
     {"H100SXM5", "H100"},
     {"H100SXM580GB", "H100"},
     {"H200SXM5141GB", "H200"}}};

/// Capitals and digits, without the makers' words.
std::string plain_name(std::string_view text) {
    std::string plain;
    for (char const letter : text) {
        auto const code = static_cast<unsigned char>(letter);
        if (std::isalnum(code) != 0) {
            plain += static_cast<char>(std::toupper(code));
        }
    }
    for (std::string_view const word : {"NVIDIA", "GEFORCE", "TESLA"}) {
        if (std::size_t const at = plain.find(word); at != std::string::npos) {
            plain.erase(at, word.size());
        }
    }
    return plain;
}

std::vector<std::string_view> comma_parts(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        std::size_t const end = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, end);
        while (part.starts_with(' ')) {
            part.remove_prefix(1);
        }
        parts.push_back(part);
        if (end == text.size()) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

/// "142 SMs" of a unit " SMs".
std::optional<double> number_with(std::string_view text, std::string_view unit) {
    double number = 0.0;
    char const* const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, number);
    bool const fine = error == std::errc() && number >= 1.0 && number <= 1e5 &&
                      std::string_view(stop, static_cast<std::size_t>(end - stop)) == unit;
    return fine ? std::optional(number) : std::nullopt;
}

std::optional<GpuSheet> sheet_of_numbers(std::string_view text) {
    auto const parts = comma_parts(text);
    if (parts.size() != 4) {
        return std::nullopt;
    }
    auto const memory = parse_size(parts[0]);
    auto const bandwidth = parse_bandwidth(parts[1]);
    auto const multiprocessors = number_with(parts[2], " SMs");
    auto const clock = number_with(parts[3], " MHz");
    if (!memory || !bandwidth || !multiprocessors || !clock || *memory == 0 ||
        bandwidth->bytes_per_second < GB) {
        return std::nullopt;
    }
    GpuSheet sheet;
    sheet.memory_bytes = *memory;
    sheet.memory_Bps = bandwidth->bytes_per_second;
    sheet.multiprocessors = static_cast<std::uint32_t>(*multiprocessors);
    sheet.boost_MHz = *clock;
    sheet.nvlink_Bps = 25 * GB; // NVLink 3 and 4, where there are any
    sheet.name = numbers_of(sheet);
    return sheet;
}

} // namespace

std::span<GpuSheet const> gpu_sheets() {
    return sheets;
}

Expected<GpuSheet> find_gpu_sheet(std::string_view text) {
    if (auto sheet = sheet_of_numbers(text)) {
        return *sheet;
    }
    std::string const plain = plain_name(text);
    auto const alias =
        std::ranges::find(driver_names, plain, [](auto const& entry) { return entry.first; });
    std::string const wanted = alias == driver_names.end() ? plain : plain_name(alias->second);
    std::string names;
    for (GpuSheet const& sheet : sheets) {
        if (plain_name(sheet.name) == wanted) {
            return sheet;
        }
        names += (names.empty() ? "" : ", ") + sheet.name;
    }
    return tl::unexpected(InputError{
        std::string(text),
        "is not a kind of GPU with known figures",
        "choose one of " + names + ", or give four numbers: '48 GB, 864 GB/s, 142 SMs, 2520 MHz'"});
}

std::string numbers_of(GpuSheet const& sheet) {
    std::array<char, 64> rest{};
    std::snprintf(
        rest.data(), rest.size(), ", %u SMs, %.0f MHz", sheet.multiprocessors, sheet.boost_MHz);
    return format_size(sheet.memory_bytes) + ", " + format_bandwidth(sheet.memory_Bps) +
           rest.data();
}

Device device_of_sheet(GpuSheet const& sheet) {
    Device device;
    device.name = sheet.name;
    device.profile = sheet.profile.empty() ? sheet.name : std::string(sheet.profile);
    device.memory_bytes = sheet.memory_bytes;
    device.hbm_bandwidth_Bps = sheet.memory_Bps;
    device.hbm_efficiency = 0.88; // as A100 and H200 reach
    bool const is_known = std::ranges::find(sheets, sheet.name, &GpuSheet::name) != sheets.end();
    std::string const origin =
        is_known ? "datasheet: NVIDIA " + sheet.name : "assumed: the numbers that were given";
    device.origins = {{"memory", origin},
                      {"hbm_bandwidth", origin},
                      {"hbm_efficiency", "assumed: the part that A100 and H200 reach"}};
    return device;
}

std::uint64_t pcie_x16_Bps(int generation) {
    return (4 * GB) << static_cast<unsigned>(generation - 1);
}

} // namespace keyswap::simulator
