#include "simulator/platform/gpu_sheet.hpp"

#include "simulator/platform/embedded_sheets.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"
#include "traces/measurements/csv_row.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GB = 1'000'000'000;

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

/// The table of devices/gpus.csv. Source: NVIDIA data sheets and whitepapers, with boost clocks;
/// PCI ID Repository for ids, of vendor 0x10de. Within one compute capability the most common GPU
/// comes first; exports write the first id of a GPU.
struct KnownGpus {
    std::vector<GpuSheet> sheets;
    std::map<std::string, std::size_t> by_name; ///< plain names, also of drivers
    std::vector<std::pair<std::uint32_t, std::size_t>> by_pci_id;
};

KnownGpus read_gpus(std::string_view table) {
    KnownGpus known;
    static_cast<void>(take_line(table)); // header
    while (!table.empty()) {
        auto const row = split_csv_row(take_line(table)).value();
        auto const whole = [&row](std::size_t cell) {
            return parsed_number<std::uint32_t>(row[cell]).value();
        };
        auto const rate_Bps = [&row](std::size_t cell) {
            return parse_bandwidth(row[cell]).value().bytes_per_second;
        };
        std::size_t const number = known.sheets.size();
        known.sheets.push_back({std::string(row[0]),
                                parse_size(row[1]).value(),
                                rate_Bps(2),
                                whole(3),
                                static_cast<double>(whole(4)),
                                rate_Bps(5),
                                whole(6),
                                static_cast<int>(whole(7)),
                                whole(8),
                                row[9]});
        std::istringstream ids{std::string(row[10])};
        for (std::uint32_t id = 0; ids >> std::hex >> id;) {
            known.by_pci_id.emplace_back(id, number);
        }
        known.by_name.emplace(plain_name(row[0]), number);
        std::istringstream names{std::string(row[11])};
        for (std::string name; names >> name;) {
            known.by_name.emplace(name, number);
        }
    }
    return known;
}

KnownGpus const& known_gpus() {
    static KnownGpus const known = read_gpus(embedded_gpu_sheets().front().text);
    return known;
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
    return known_gpus().sheets;
}

Expected<GpuSheet> find_gpu_sheet(std::string_view text) {
    if (auto sheet = sheet_of_numbers(text)) {
        return *sheet;
    }
    auto const& [sheets, by_name, by_pci_id] = known_gpus();
    if (auto const known = by_name.find(plain_name(text)); known != by_name.end()) {
        return sheets[known->second];
    }
    return input_error(text,
                       "is not a kind of GPU with known figures",
                       "choose one of " + joined_text(sheets, ", ", &GpuSheet::name) +
                           ", or give four numbers: '48 GB, 864 GB/s, 142 SMs, 2520 MHz'");
}

std::optional<GpuSheet> gpu_sheet_of_pci(std::uint32_t device_id) {
    auto const& [sheets, by_name, by_pci_id] = known_gpus();
    auto const known =
        std::ranges::find(by_pci_id, device_id, [](auto const& id) { return id.first; });
    return known == by_pci_id.end() ? std::nullopt : std::optional(sheets[known->second]);
}

std::optional<std::uint32_t> pci_id_of(GpuSheet const& sheet) {
    auto const& [sheets, by_name, by_pci_id] = known_gpus();
    for (auto const& [id, number] : by_pci_id) {
        if (sheets[number].name == sheet.name) {
            return id;
        }
    }
    return std::nullopt;
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
    bool const is_known =
        std::ranges::find(gpu_sheets(), sheet.name, &GpuSheet::name) != gpu_sheets().end();
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
