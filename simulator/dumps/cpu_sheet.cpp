#include "simulator/dumps/cpu_sheet.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GBps = 1'000'000'000;
constexpr std::uint64_t MBps = 1'000'000;

constexpr std::string_view intel = "GenuineIntel";
constexpr std::string_view amd = "AuthenticAMD";

constexpr std::string_view as_dgx_h100 = "as assumed of a DGX H100";
constexpr std::string_view as_dgx_a100 = "as measured between the EPYC 7742 of a DGX A100";
constexpr std::string_view as_between = "between what the X-Bus and Infinity Fabric reach";

/// A generation and its CPU models.
struct KnownCpu {
    std::string_view vendor; ///< or the architecture, if only one vendor makes it
    std::uint32_t family;
    std::array<std::uint32_t, 2> models; ///< first and last; a range for AMD
    int pcie_generation;
    CpuSheet sheet;
};

/// From vendors' data sheets. Socket links: lanes * transfers per second, one direction.
std::array<KnownCpu, 13> const known_cpus{{
    {intel,
     6,
     {63, 79},
     3,
     {"Xeon E5 v3 and v4",
      76'800 * MBps,
      "4 channels of DDR4-2400",
      38'400 * MBps,
      "two QPI links of 9.6 GT/s",
      0.5,
      as_between}},
    {intel,
     6,
     {85, 85},
     3,
     {"Xeon Scalable of generations 1 and 2",
      127'800 * MBps,
      "6 channels of DDR4-2666",
      62 * GBps,
      "three UPI links of 10.4 GT/s",
      0.5,
      as_between}},
    {intel,
     6,
     {106, 108},
     4,
     {"Xeon Scalable of generation 3",
      204'800 * MBps,
      "8 channels of DDR4-3200",
      67'200 * MBps,
      "three UPI links of 11.2 GT/s",
      0.5,
      as_between}},
    {intel,
     6,
     {143, 143},
     5,
     {"Xeon Scalable of generation 4",
      307'200 * MBps,
      "8 channels of DDR5-4800",
      144 * GBps,
      "three UPI 2.0 links of 16 GT/s",
      0.6,
      as_dgx_h100}},
    {intel,
     6,
     {207, 207},
     5,
     {"Xeon Scalable of generation 5",
      358'400 * MBps,
      "8 channels of DDR5-5600",
      180 * GBps,
      "three UPI 2.0 links of 20 GT/s",
      0.6,
      as_dgx_h100}},
    {intel,
     6,
     {173, 175},
     5,
     {"Xeon 6",
      614'400 * MBps,
      "12 channels of DDR5-6400",
      288 * GBps,
      "four UPI 2.0 links of 24 GT/s",
      0.6,
      as_dgx_h100}},
    {amd,
     143,
     {0, 31},
     3,
     {"EPYC 7001",
      170'600 * MBps,
      "8 channels of DDR4-2666",
      76 * GBps,
      "Infinity Fabric",
      0.42,
      as_dgx_a100}},
    {amd,
     143,
     {32, 127},
     4,
     {"EPYC 7002",
      204'800 * MBps,
      "8 channels of DDR4-3200",
      102 * GBps,
      "Infinity Fabric",
      0.42,
      as_dgx_a100}},
    {amd,
     175,
     {0, 15},
     4,
     {"EPYC 7003",
      204'800 * MBps,
      "8 channels of DDR4-3200",
      102 * GBps,
      "Infinity Fabric",
      0.42,
      as_dgx_a100}},
    {amd,
     175,
     {16, 255},
     5,
     {"EPYC 9004",
      460'800 * MBps,
      "12 channels of DDR5-4800",
      192 * GBps,
      "Infinity Fabric, three links of 32 GT/s",
      0.42,
      as_dgx_a100}},
    {amd,
     191,
     {0, 255},
     5,
     {"EPYC 9005",
      576 * GBps,
      "12 channels of DDR5-6000",
      192 * GBps,
      "Infinity Fabric, three links of 32 GT/s",
      0.42,
      as_dgx_a100}},
    {"ppc64",
     0,
     {0, 255},
     4,
     {"POWER9",
      170 * GBps,
      "8 channels of DDR4-2666",
      64 * GBps,
      "the X-Bus",
      0.637,
      "as measured on an AC922"}},
    {"arm64",
     0,
     {0, 255},
     5,
     {"Grace",
      512 * GBps,
      "LPDDR5X",
      300 * GBps,
      "the coherent link of two Graces",
      0.6,
      as_dgx_h100}},
}};

/// The most common generation in servers with a PCIe version.
std::size_t usual_cpu(int pcie_generation) {
    std::string_view const name = pcie_generation >= 5   ? "Xeon Scalable of generation 4"
                                  : pcie_generation == 4 ? "EPYC 7002"
                                                         : "Xeon Scalable of generations 1 and 2";
    auto const found =
        std::ranges::find(known_cpus, name, [](auto const& known) { return known.sheet.name; });
    return static_cast<std::size_t>(found - known_cpus.begin());
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
    CpuSheet const& usual = known_cpus[usual_cpu(generation)].sheet;
    if (!model) {
        return {&usual, "as " + servers_of(generation) + " have", false};
    }
    KnownCpu const* of_vendor = nullptr;
    for (KnownCpu const& known : known_cpus) {
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
