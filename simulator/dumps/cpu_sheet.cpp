#include "simulator/dumps/cpu_sheet.hpp"

#include "simulator/platform/embedded_sheets.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/measurements/csv_row.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <vector>

namespace keyswap::simulator {
namespace {

constexpr std::string_view intel = "GenuineIntel";
constexpr std::string_view amd = "AuthenticAMD";

/// A generation and its CPU models.
struct KnownCpu {
    std::string_view vendor; ///< or the architecture, if only one vendor makes it
    std::uint32_t family;
    std::array<std::uint32_t, 2> models; ///< first and last; a range for AMD
    int pcie_generation;
    CpuSheet sheet;
};

/// The table of devices/cpus.csv. Source: vendors' data sheets. Socket links: lanes * transfers per
/// second, one direction.
std::vector<KnownCpu> read_cpus(std::string_view table) {
    std::vector<KnownCpu> known;
    static_cast<void>(take_line(table)); // header
    while (!table.empty()) {
        auto const row = split_csv_row(take_line(table)).value();
        auto const whole = [&row](std::size_t cell) {
            return parsed_number<std::uint32_t>(row[cell]).value();
        };
        auto const rate_Bps = [&row](std::size_t cell) {
            return parse_bandwidth(row[cell]).value().bytes_per_second;
        };
        known.push_back({row[0],
                         whole(1),
                         {whole(2), whole(3)},
                         static_cast<int>(whole(4)),
                         {row[5],
                          rate_Bps(6),
                          row[7],
                          rate_Bps(8),
                          row[9],
                          parsed_number<double>(row[10]).value(),
                          row[11]}});
    }
    return known;
}

std::vector<KnownCpu> const& known_cpus() {
    static std::vector<KnownCpu> const known = read_cpus(embedded_cpu_sheets().front().text);
    return known;
}

/// The most common generation in servers with a PCIe version.
CpuSheet const& usual_cpu(int pcie_generation) {
    std::string_view const name = pcie_generation >= 5   ? "Xeon Scalable of generation 4"
                                  : pcie_generation == 4 ? "EPYC 7002"
                                                         : "Xeon Scalable of generations 1 and 2";
    return std::ranges::find(
               known_cpus(), name, [](KnownCpu const& known) { return known.sheet.name; })
        ->sheet;
}

std::string servers_of(int pcie_generation) {
    return "servers with PCIe " + std::to_string(pcie_generation) + ".0";
}

std::optional<std::uint32_t> number_of(std::string_view text) {
    std::uint32_t value = 0;
    auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && value < 1'000 ? std::optional(value) : std::nullopt;
}

} // namespace

RecognisedCpu recognise_cpu(std::optional<CpuModel> const& model, int pcie_generation) {
    int const generation = std::clamp(pcie_generation, 3, 5);
    CpuSheet const& usual = usual_cpu(generation);
    if (!model) {
        return {&usual, "as " + servers_of(generation) + " have", false};
    }
    KnownCpu const* of_vendor = nullptr;
    for (KnownCpu const& known : known_cpus()) {
        bool const is_x86 = known.vendor == intel || known.vendor == amd;
        if (!is_x86 && known.vendor == model->arch) {
            return {&known.sheet, "as " + std::string(known.sheet.name) + " has", true};
        }
        if (known.vendor != model->vendor) {
            continue;
        }
        if (known.family == model->family && known.models[0] <= model->model &&
            model->model <= known.models[1]) {
            return {&known.sheet, "as " + std::string(known.sheet.name) + " has", true};
        }
        // The first of several generations with that PCIe version is the most common one.
        if (known.pcie_generation == generation &&
            (of_vendor == nullptr || of_vendor->sheet.name == "Xeon E5 v3 and v4")) {
            of_vendor = &known;
        }
    }
    std::string const name = model->vendor.empty() ? model->arch : model->vendor;
    if (of_vendor != nullptr) {
        return {&of_vendor->sheet,
                "as " + std::string(of_vendor->sheet.name) + " has; " + name + " " +
                    std::to_string(model->family) + "/" + std::to_string(model->model) +
                    " is not known",
                false};
    }
    return {&usual, "as " + servers_of(generation) + " have; " + name + " is not known", false};
}

std::optional<CpuModel> cpu_model_of(std::string_view cpuinfo) {
    CpuModel model;
    std::istringstream lines{std::string(cpuinfo)};
    for (std::string line; std::getline(lines, line);) {
        std::size_t const colon = line.find(':');
        if (colon == std::string::npos) {
            if (line.empty() && !model.arch.empty()) {
                break; // one processor is enough
            }
            continue;
        }
        std::string const key =
            line.substr(0, line.find_last_not_of(" \t", colon - (colon > 0)) + 1);
        std::size_t const begin = line.find_first_not_of(" \t", colon + 1);
        std::string const value = begin == std::string::npos ? "" : line.substr(begin);
        if (key == "vendor_id") {
            model.arch = "x86_64";
            model.vendor = value;
        } else if (key == "cpu family") {
            std::uint32_t const family = number_of(value).value_or(0);
            model.family = family > 15 ? 15 + ((family - 15) << 4U) : family;
        } else if (key == "model") {
            model.model = number_of(value).value_or(0);
        } else if (key == "cpu" && value.starts_with("POWER")) {
            model.arch = "ppc64";
        } else if (key == "CPU implementer") {
            model.arch = "arm64";
        }
    }
    return model.arch.empty() ? std::nullopt : std::optional(model);
}

} // namespace keyswap::simulator
