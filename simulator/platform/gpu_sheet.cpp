#include "simulator/platform/gpu_sheet.hpp"

#include "simulator/platform/units.hpp"
#include "traces/errors/refused.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GB = 1'000'000'000;
constexpr std::uint64_t GiB = 1ULL << 30U;

/// Source: NVIDIA data sheets and whitepapers; clocks are boost clocks. Within one compute
/// capability the most common GPU comes first.
std::array<GpuSheet, 40> const sheets{{
    {"P100", 16 * GiB, 732 * GB, 56, 1480, 20 * GB, 4, 3, 60, ""},
    {"P100-PCIE-16GB", 16 * GiB, 732 * GB, 56, 1303, 0, 0, 3, 60, ""},
    {"V100", 32 * GiB, 900 * GB, 80, 1530, 25 * GB, 6, 3, 70, "V100"},
    {"V100-SXM2-16GB", 16 * GiB, 900 * GB, 80, 1530, 25 * GB, 6, 3, 70, "V100"},
    {"V100-PCIE-32GB", 32 * GiB, 900 * GB, 80, 1380, 0, 0, 3, 70, "V100"},
    {"V100-PCIE-16GB", 16 * GiB, 900 * GB, 80, 1380, 0, 0, 3, 70, "V100"},
    {"T4", 16 * GB, 320 * GB, 40, 1590, 0, 0, 3, 75, ""},
    {"A100", 40 * GiB, 1555 * GB, 108, 1410, 25 * GB, 12, 4, 80, "A100"},
    {"A100-SXM-80GB", 80 * GiB, 2039 * GB, 108, 1410, 25 * GB, 12, 4, 80, ""},
    {"A100-PCIE-40GB", 40 * GiB, 1555 * GB, 108, 1410, 25 * GB, 12, 4, 80, "A100"},
    {"A100-PCIE-80GB", 80 * GiB, 1935 * GB, 108, 1410, 25 * GB, 12, 4, 80, ""},
    {"A800-SXM-80GB", 80 * GiB, 2039 * GB, 108, 1410, 25 * GB, 8, 4, 80, ""},
    {"A800-PCIE-80GB", 80 * GiB, 1935 * GB, 108, 1410, 25 * GB, 8, 4, 80, ""},
    {"A30", 24 * GiB, 933 * GB, 56, 1440, 25 * GB, 4, 4, 80, ""},
    {"A40", 48 * GB, 696 * GB, 84, 1740, 14'062'500'000, 4, 4, 86, ""},
    {"A10", 24 * GB, 600 * GB, 72, 1695, 0, 0, 4, 86, ""},
    {"A10G", 24 * GB, 600 * GB, 80, 1710, 0, 0, 4, 86, ""},
    {"RTX-A6000", 48 * GB, 768 * GB, 84, 1800, 14'062'500'000, 4, 4, 86, ""},
    {"RTX-A5000", 24 * GB, 768 * GB, 64, 1695, 14'062'500'000, 4, 4, 86, ""},
    {"RTX-3090", 24 * GB, 936 * GB, 82, 1695, 14'062'500'000, 4, 4, 86, ""},
    {"L40S", 48 * GB, 864 * GB, 142, 2520, 0, 0, 4, 89, ""},
    {"L40", 48 * GB, 864 * GB, 142, 2490, 0, 0, 4, 89, ""},
    {"L4", 24 * GB, 300 * GB, 58, 2040, 0, 0, 4, 89, ""},
    {"RTX-4090", 24 * GB, 1008 * GB, 128, 2520, 0, 0, 4, 89, ""},
    {"RTX-6000-ADA", 48 * GB, 960 * GB, 142, 2505, 0, 0, 4, 89, ""},
    {"H100", 80 * GiB, 3350 * GB, 132, 1980, 25 * GB, 18, 5, 90, "H100"},
    {"H100-PCIE", 80 * GiB, 2039 * GB, 114, 1755, 25 * GB, 12, 5, 90, ""},
    {"H100-NVL", 94 * GB, 3938 * GB, 132, 1785, 25 * GB, 12, 5, 90, ""},
    {"H800", 80 * GiB, 3350 * GB, 132, 1980, 25 * GB, 8, 5, 90, "H100"},
    {"H200", 141 * GB, 4800 * GB, 132, 1980, 25 * GB, 18, 5, 90, "H200"},
    {"H200-NVL", 141 * GB, 4800 * GB, 132, 1785, 25 * GB, 18, 5, 90, ""},
    {"H20", 96 * GB, 4000 * GB, 78, 1980, 25 * GB, 18, 5, 90, ""},
    {"GH200", 96 * GB, 4000 * GB, 132, 1980, 25 * GB, 18, 5, 90, ""},
    {"GH200-144GB", 144 * GB, 4900 * GB, 132, 1980, 25 * GB, 18, 5, 90, ""},
    {"B200", 180 * GB, 8000 * GB, 148, 1965, 50 * GB, 18, 5, 100, "B200"},
    {"GB200", 186 * GB, 8000 * GB, 148, 1965, 50 * GB, 18, 5, 100, "B200"},
    {"B300", 288 * GB, 8000 * GB, 148, 1920, 50 * GB, 18, 6, 103, ""},
    {"GB300", 288 * GB, 8000 * GB, 148, 1920, 50 * GB, 18, 6, 103, ""},
    {"RTX-5090", 32 * GB, 1792 * GB, 170, 2407, 0, 0, 5, 120, ""},
    {"RTX-PRO-6000", 96 * GB, 1597 * GB, 188, 2617, 0, 0, 5, 120, ""},
}};

/// Aliases in drivers and platform files, in plain_name() form (capitals and digits), with sheets.
constexpr std::array<std::pair<std::string_view, std::string_view>, 65> driver_names{
    {{"P100SXM216GB", "P100"},
     {"P100PCIE", "P100-PCIE-16GB"},
     {"V100SXM2", "V100"},
     {"V100SXM232GB", "V100"},
     {"V100SXM332GB", "V100"},
     {"V100SXM2LS32GB", "V100"},
     {"V100PCIE", "V100-PCIE-32GB"},
     {"V100SPCIE32GB", "V100-PCIE-32GB"},
     {"A10040GB", "A100"},
     {"A100SXM", "A100"},
     {"A100SXM4", "A100"},
     {"A100SXM440GB", "A100"},
     {"A100SXM40GB", "A100"},
     {"A10080GB", "A100-SXM-80GB"},
     {"A100SXM480GB", "A100-SXM-80GB"},
     {"A10080GBSXM", "A100-SXM-80GB"},
     {"A10080GBSXM4", "A100-SXM-80GB"},
     {"A100PCIE", "A100-PCIE-40GB"},
     {"A10040GBPCIE", "A100-PCIE-40GB"},
     {"A100PG509200", "A100"},
     {"A10080GBPCIE", "A100-PCIE-80GB"},
     {"A800SXM480GB", "A800-SXM-80GB"},
     {"A800SXM", "A800-SXM-80GB"},
     {"A800", "A800-SXM-80GB"},
     {"A80080GBPCIE", "A800-PCIE-80GB"},
     {"A800PCIE", "A800-PCIE-80GB"},
     {"A6000", "RTX-A6000"},
     {"QUADRORTXA6000", "RTX-A6000"},
     {"A5000", "RTX-A5000"},
     {"3090", "RTX-3090"},
     {"RTX6000ADAGENERATION", "RTX-6000-ADA"},
     {"6000ADA", "RTX-6000-ADA"},
     {"4090", "RTX-4090"},
     {"H10080GB", "H100"},
     {"H10080GBHBM3", "H100"},
     {"H100SXM", "H100"},
     {"H100SXM5", "H100"},
     {"H100SXM580GB", "H100"},
     {"H10080GBPCIE", "H100-PCIE"},
     {"H100PCIE80GB", "H100-PCIE"},
     {"H100NVL94GB", "H100-NVL"},
     {"H800SXM", "H800"},
     {"H800SXM5", "H800"},
     {"H80080GBHBM3", "H800"},
     {"H200SXM", "H200"},
     {"H200SXM5", "H200"},
     {"H200SXM141GB", "H200"},
     {"H200SXM5141GB", "H200"},
     {"H200141GB", "H200"},
     {"H20SXM", "H20"},
     {"H20SXM5", "H20"},
     {"H2096GB", "H20"},
     {"GH200480GB", "GH200"},
     {"GH200120GB", "GH200"},
     {"GH20096GB", "GH200"},
     {"GH200144GHBM3E", "GH200-144GB"},
     {"B200SXM", "B200"},
     {"B200180GB", "B200"},
     {"B200GB200", "GB200"},
     {"B300SXM6AC", "B300"},
     {"B300SXM", "B300"},
     {"5090", "RTX-5090"},
     {"RTXPRO6000BLACKWELLSERVEREDITION", "RTX-PRO-6000"},
     {"RTXPRO6000BLACKWELL", "RTX-PRO-6000"},
     {"RTXPRO6000BLACKWELLWORKSTATIONEDITION", "RTX-PRO-6000"}}};

/// PCI device ids of vendor 0x10de. Source: PCI ID Repository. Exports write the first id of a
/// sheet.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 49> pci_ids{
    {{0x15f9, "P100"},
     {0x15f8, "P100-PCIE-16GB"},
     {0x1db5, "V100"},
     {0x1db8, "V100"},
     {0x1db7, "V100"},
     {0x1db1, "V100-SXM2-16GB"},
     {0x1db2, "V100-SXM2-16GB"},
     {0x1df5, "V100-SXM2-16GB"},
     {0x1db6, "V100-PCIE-32GB"},
     {0x1df6, "V100-PCIE-32GB"},
     {0x1db4, "V100-PCIE-16GB"},
     {0x1db3, "V100-PCIE-16GB"},
     {0x1eb8, "T4"},
     {0x20b0, "A100"},
     {0x20b2, "A100-SXM-80GB"},
     {0x20f1, "A100-PCIE-40GB"},
     {0x20b1, "A100-PCIE-40GB"},
     {0x20b5, "A100-PCIE-80GB"},
     {0x20f3, "A800-SXM-80GB"},
     {0x20f5, "A800-PCIE-80GB"},
     {0x20b7, "A30"},
     {0x2235, "A40"},
     {0x2236, "A10"},
     {0x2237, "A10G"},
     {0x2230, "RTX-A6000"},
     {0x2231, "RTX-A5000"},
     {0x2204, "RTX-3090"},
     {0x2203, "RTX-3090"},
     {0x26b9, "L40S"},
     {0x26b5, "L40"},
     {0x27b8, "L4"},
     {0x2684, "RTX-4090"},
     {0x26b1, "RTX-6000-ADA"},
     {0x2330, "H100"},
     {0x2331, "H100-PCIE"},
     {0x2321, "H100-NVL"},
     {0x2324, "H800"},
     {0x2335, "H200"},
     {0x233b, "H200-NVL"},
     {0x2329, "H20"},
     {0x2342, "GH200"},
     {0x2348, "GH200-144GB"},
     {0x2901, "B200"},
     {0x2941, "GB200"},
     {0x3182, "B300"},
     {0x31c2, "GB300"},
     {0x2b85, "RTX-5090"},
     {0x2bb5, "RTX-PRO-6000"},
     {0x2bb1, "RTX-PRO-6000"}}};

/// Capitals and digits only, without "NVIDIA", "GEFORCE" and "TESLA".
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

/// Parses "142 SMs" with unit " SMs"; nullopt unless the number is from 1 to 1e5.
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
    sheet.nvlink_Bps = 25 * GB; // NVLink 2 to 4; unused without NVLink
    sheet.nvlinks = 18;         // maximum of any GPU
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
    return refused(text,
                   "is not a kind of GPU with known figures",
                   "choose one of " + names +
                       ", or give four numbers: '48 GB, 864 GB/s, 142 SMs, 2520 MHz'");
}

std::optional<GpuSheet> gpu_sheet_of_pci(std::uint32_t device_id) {
    auto const entry =
        std::ranges::find(pci_ids, device_id, [](auto const& known) { return known.first; });
    if (entry == pci_ids.end()) {
        return std::nullopt;
    }
    return *std::ranges::find(sheets, entry->second, &GpuSheet::name);
}

std::optional<std::uint32_t> pci_id_of(GpuSheet const& sheet) {
    auto const entry =
        std::ranges::find(pci_ids, sheet.name, [](auto const& known) { return known.second; });
    return entry == pci_ids.end() ? std::nullopt : std::optional(entry->first);
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
    device.hbm_efficiency = 0.88; // as achieved by A100 and H200
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
