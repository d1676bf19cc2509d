#pragma once

/// \file A machine as its platform file describes it: plain data, every constant with its origin.
/// topology.hpp turns it into capacities and routes.

#include "simulator/platform/sim_time.hpp"
#include "traces/errors/input_error.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Where each constant of an entity comes from: constant's name -> "datasheet: ...",
/// "published: ...", "measured: ..." or "assumed: ...".
using Origins = std::map<std::string, std::string>;

/// Where a drawing puts a node, in inches; drawings lay out by themselves where it is absent.
using Position = std::optional<std::array<double, 2>>;

/// A kind of GPU. Its kernels' speeds stand in the device profile of the same name.
struct Device {
    std::string name; ///< "A100-SXM4-40GB"
    std::string profile;
    std::uint64_t memory_bytes = 0;
    std::uint64_t hbm_bandwidth_Bps = 0; ///< read + write together
    double hbm_efficiency = 1.0;         ///< achieved part of it
    std::uint32_t engines_to_device = 1; ///< copies from host memory at once
    std::uint32_t engines_to_host = 1;
    std::uint32_t engines_peer = 1;                 ///< copies to, from or within GPUs at once
    std::optional<std::uint64_t> copy_rate_max_Bps; ///< of one copy to or from another memory
    Origins origins;
    friend bool operator==(Device const&, Device const&) = default;
};

/// A NUMA node: cores and a memory. Its number is its place in Platform::cpus.
struct Cpu {
    std::string name;
    std::uint32_t socket = 0;  ///< drawn on a rank of its own
    std::uint32_t machine = 0; ///< of a cluster: NUMA nodes of one machine share a number
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_read_Bps = 0;
    std::uint64_t memory_write_Bps = 0;
    std::optional<std::uint64_t> memory_total_Bps; ///< reads and writes together
    double memory_read_efficiency = 1.0;
    double memory_write_efficiency = 1.0;
    double memory_total_efficiency = 1.0;
    double memory_write_cost = 1.0; ///< bytes of memory_total that a written byte takes, >= 1
    Position position;
    Origins origins;
    friend bool operator==(Cpu const&, Cpu const&) = default;
};

/// A GPU. Its number on the machine is its place in Platform::gpus.
struct Gpu {
    std::string name;
    std::string device; ///< name of a Device
    Position position;
    friend bool operator==(Gpu const&, Gpu const&) = default;
};

/// Anything that only forwards: PCIe switch, NVSwitch, network adapter, network switch.
struct Switch {
    std::string name;
    std::optional<std::uint32_t> rail; ///< a network adapter that a cluster joins to this rail
    Position position;
    std::optional<std::uint64_t> rail_Bps = std::nullopt; ///< of the adapter, where it is known
    friend bool operator==(Switch const&, Switch const&) = default;
};

/// The constants of a kind of link: links of one kind differ in their ends only. Full duplex
/// unless bandwidth_total says otherwise.
struct LinkKind {
    std::string name;
    std::uint64_t bandwidth_Bps = 0;                  ///< from -> to
    std::optional<std::uint64_t> bandwidth_back_Bps;  ///< to -> from, where it differs
    std::optional<std::uint64_t> bandwidth_total_Bps; ///< both directions together, where limited
    double efficiency = 1.0;                          ///< achieved part, from -> to
    std::optional<double> efficiency_back;            ///< to -> from, where it differs
    double efficiency_total = 1.0;
    double efficiency_pieces = 1.0; ///< part of the efficiency that is left to copies in pieces
    double efficiency_whole_write = 1.0; ///< the same, to copies to host memory in one piece
    /// Parts of the bandwidth that one GPU reaches, whatever is left of the link: a GPU has so many
    /// requests under way, and an answer over this link takes longer than one from nearby. Of what
    /// other GPUs send to it, of its reads of host memory beside another GPU's over this link,
    /// which queue, and of its reads alone.
    double efficiency_single_peer = 1.0;
    double efficiency_single_read = 1.0;
    double efficiency_lone_read = 1.0;
    /// Part that is left where copies of several GPUs from (or to) one host memory share the link.
    double efficiency_shared_read = 1.0;
    double efficiency_shared_write = 1.0;
    SimTime latency;
    Origins origins;
    friend bool operator==(LinkKind const&, LinkKind const&) = default;
};

/// A cable or bus between two nodes.
struct Link {
    std::string name;
    std::string kind; ///< name of a LinkKind
    std::string from; ///< node
    std::string to;   ///< node
    friend bool operator==(Link const&, Link const&) = default;
};

/// A path that is given instead of found. Holds for both directions.
struct GivenRoute {
    std::string from; ///< a CPU or GPU
    std::string to;
    std::vector<std::string> links;
    friend bool operator==(GivenRoute const&, GivenRoute const&) = default;
};

struct Platform {
    std::string name;
    std::string description;
    std::vector<Device> devices;
    std::vector<Cpu> cpus;
    std::vector<Gpu> gpus;
    std::vector<Switch> switches;
    std::vector<LinkKind> link_kinds;
    std::vector<Link> links;
    std::vector<GivenRoute> routes;
    /// Error that nine of ten totals are meant to keep, as a part of the total, from rows that were
    /// held out of the fit of this machine's constants; absent if it was fitted to no sorts.
    std::optional<double> held_out_error;
    friend bool operator==(Platform const&, Platform const&) = default;
};

/// \pre the platform is valid and has the GPU
[[nodiscard]] Device const& device_of(Platform const& platform, std::uint32_t gpu);
/// \pre the platform is valid
[[nodiscard]] LinkKind const& kind_of(Platform const& platform, Link const& link);

/// Reads and validates a platform file's text.
/// \param file name for messages
/// \return the platform, or the first mistake as "file:line"
[[nodiscard]] Expected<Platform> parse_platform(std::string_view text, std::string_view file);

/// The text of a platform file that reads back equal.
[[nodiscard]] std::string write_platform(Platform const& platform);

/// A shipped platform by name ("dgx-a100"), a generated cluster ("cluster:dgx-h100:8"), or a file.
[[nodiscard]] Expected<Platform> load_platform(std::string_view name_or_path);

struct ShippedPlatform {
    std::string_view name;
    std::string_view text; ///< of the TOML file
};

/// Ascending by name.
[[nodiscard]] std::vector<ShippedPlatform> shipped_platforms();

/// 64-bit FNV-1a of the written platform: what every output repeats.
[[nodiscard]] std::uint64_t platform_hash(Platform const& platform);

} // namespace keyswap::simulator
