#pragma once

/// \file A machine as described by its platform file: plain data, every constant with its origin.
/// topology.hpp derives capacities and routes from it.

#include "simulator/platform/embedded_text.hpp"
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

/// Origin of each constant of an entity: constant name -> "datasheet: ...",
/// "published: ...", "measured: ..." or "assumed: ...".
using Origins = std::map<std::string, std::string>;

/// Position of a node in drawings, in inches; absent: the drawing's own layout decides.
using Position = std::optional<std::array<double, 2>>;

/// A GPU model. The device profile named `profile` holds the speeds of its kernels.
struct Device {
    std::string name; ///< "A100-SXM4-40GB"
    std::string profile;
    std::uint64_t memory_bytes = 0;
    std::uint64_t hbm_bandwidth_Bps = 0; ///< reads and writes combined
    double hbm_efficiency = 1.0;         ///< achieved fraction of hbm_bandwidth_Bps
    std::uint32_t engines_to_device = 1; ///< concurrent copies from host memory
    std::uint32_t engines_to_host = 1;
    std::uint32_t engines_peer = 1;                 ///< concurrent copies to, from or within GPUs
    std::optional<std::uint64_t> copy_rate_max_Bps; ///< ceiling of a copy to or from another memory
    Origins origins;
    friend bool operator==(Device const&, Device const&) = default;
};

/// A NUMA node: cores and a memory. Its number is its index in Platform::cpus.
struct Cpu {
    std::string name;
    std::uint32_t socket = 0;  ///< drawings group the NUMA nodes of one socket
    std::uint32_t machine = 0; ///< machine of a cluster: equal for all NUMA nodes of one machine
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_read_Bps = 0;
    std::uint64_t memory_write_Bps = 0;
    std::optional<std::uint64_t> memory_total_Bps; ///< limit of reads and writes combined, if any
    double memory_read_efficiency = 1.0;
    double memory_write_efficiency = 1.0;
    double memory_total_efficiency = 1.0;
    double memory_write_cost = 1.0; ///< bytes of memory_total per written byte, >= 1
    Position position;
    Origins origins;
    friend bool operator==(Cpu const&, Cpu const&) = default;
};

/// A GPU. Its number on the machine is its index in Platform::gpus.
struct Gpu {
    std::string name;
    std::string device; ///< name of a Device
    Position position;
    friend bool operator==(Gpu const&, Gpu const&) = default;
};

/// A node that only forwards: PCIe switch, NVSwitch, network adapter, network switch.
struct Switch {
    std::string name;
    std::optional<std::uint32_t> rail; ///< network adapter: its rail in a cluster
    Position position;
    std::optional<std::uint64_t> rail_Bps = std::nullopt; ///< of the adapter; nullopt if unknown
    friend bool operator==(Switch const&, Switch const&) = default;
};

/// Constants of a kind of link: links of one kind differ only in their end points. Full duplex
/// unless bandwidth_total_Bps limits both directions.
struct LinkKind {
    std::string name;
    std::uint64_t bandwidth_Bps = 0;                  ///< from -> to
    std::optional<std::uint64_t> bandwidth_back_Bps;  ///< to -> from; absent: symmetric
    std::optional<std::uint64_t> bandwidth_total_Bps; ///< limit of both directions combined, if any
    double efficiency = 1.0;                          ///< achieved fraction, from -> to
    std::optional<double> efficiency_back;            ///< to -> from; absent: symmetric
    double efficiency_total = 1.0;
    double efficiency_pieces = 1.0; ///< fraction left to copies in pieces, on top of efficiency
    double efficiency_whole_write = 1.0; ///< likewise for whole copies to host memory
    /// Fractions of the bandwidth that one GPU reaches even if the link is otherwise idle: a GPU
    /// has a limited number of outstanding requests, and replies over this link take long. For
    /// transfers from other GPUs to it, for its reads of host memory that queue next to another
    /// GPU's over this link, and for its reads alone.
    double efficiency_single_peer = 1.0;
    double efficiency_single_read = 1.0;
    double efficiency_lone_read = 1.0;
    /// Fraction left if copies of several GPUs from (or to) one host memory share the link.
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
    std::string from; ///< name of a CPU, GPU or switch
    std::string to;   ///< likewise
    friend bool operator==(Link const&, Link const&) = default;
};

/// A path that the file prescribes instead of the shortest one. Valid in both directions.
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
    /// Relative error that nine of ten predicted totals are expected not to exceed, from rows held
    /// out of the fit of this machine's constants; nullopt if no sorts were fitted.
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

/// Serializes the platform; parse_platform() reads back an equal one.
[[nodiscard]] std::string write_platform(Platform const& platform);

/// Serializes the tables [running] and [storage] of a platform named as for load_platform(), to be
/// appended to write_platform(). A cluster has no disks, and the running cost of all its nodes.
/// \return empty if the platform has neither; an error with the line of a mistake
[[nodiscard]] Expected<std::string> write_optional_tables(std::string_view platform);

/// Loads a shipped platform ("dgx-a100"), a cluster ("cluster:dgx-h100:8"), or a file, by its path.
[[nodiscard]] Expected<Platform> load_platform(std::string_view name_or_path);

/// All shipped platforms, ascending by name.
[[nodiscard]] std::vector<EmbeddedText> shipped_platforms();

/// 64-bit FNV-1a of the serialized platform; every output includes it.
[[nodiscard]] std::uint64_t platform_hash(Platform const& platform);

} // namespace keyswap::simulator
