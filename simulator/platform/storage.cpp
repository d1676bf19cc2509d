#include "simulator/platform/storage.hpp"

#include "simulator/platform/platform_cluster.hpp"
#include "simulator/platform/platform_reader.hpp"
#include "simulator/platform/platform_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace keyswap::simulator {

namespace {

constexpr char const* default_origin = "assumed: an NVMe disk with a local ext4";

} // namespace

std::optional<Storage> read_storage(toml::table const& root, MistakeLog& log) {
    toml::table const* const table = optional_table(root, "storage", log);
    if (table == nullptr) {
        return std::nullopt;
    }
    TableReader reader(
        *table,
        "storage",
        *table,
        log,
        {"read", "write", "total", "latency", "request_overhead", "sync", "removal", "spread"});
    Storage storage;
    storage.read_Bps = reader.bandwidth("read");
    storage.write_Bps = reader.bandwidth("write");
    storage.total_Bps =
        reader.bandwidth_total_if("total", std::max(storage.read_Bps, storage.write_Bps));
    storage.latency = reader.time("latency");
    auto const time = [&reader](std::string_view key, SimTime& value) {
        value = reader.time_if(key).value_or(value);
    };
    time("request_overhead", storage.request_overhead);
    time("sync", storage.sync);
    time("removal", storage.removal);
    storage.spread = reader.cost("spread");
    storage.origins = reader.origins();
    for (char const* const key : {"request_overhead", "sync", "removal"}) {
        storage.origins.emplace(key, default_origin); // unless the file has one
    }
    return storage;
}

bool Storage::is_measured() const {
    return std::ranges::all_of(std::array{"read", "write", "spread"}, [this](char const* key) {
        auto const origin = origins.find(key);
        return origin != origins.end() && origin->second.starts_with("measured");
    });
}

Storage with_scaled_rates(Storage storage, double factor) {
    auto const scale = [factor](std::uint64_t& Bps) {
        Bps = static_cast<std::uint64_t>(static_cast<double>(Bps) * factor);
    };
    scale(storage.read_Bps);
    scale(storage.write_Bps);
    if (storage.total_Bps) {
        scale(*storage.total_Bps);
    }
    return storage;
}

Expected<std::optional<Storage>> find_storage(std::string_view platform) {
    if (is_cluster(platform)) {
        return std::optional<Storage>();
    }
    KEYSWAP_TRY(auto const source, load_platform_text(platform));
    return read_section(source, read_storage);
}

Expected<Storage> load_storage(std::string_view platform) {
    if (is_cluster(platform)) {
        return input_error(platform,
                           "is a cluster, and a sort on files runs on one machine",
                           "name one of its machines");
    }
    KEYSWAP_TRY(auto storage, find_storage(platform));
    if (!storage) {
        return input_error(
            platform,
            "has no table [storage] with the rates of its disks",
            "add the lines that 'keyswap calibrate --probe-storage DIR' prints there");
    }
    return *std::move(storage);
}

Platform with_storage(Platform platform, Storage const& storage) {
    Cpu disks;
    disks.name = "storage";
    disks.memory_read_Bps = storage.read_Bps;
    disks.memory_write_Bps = storage.write_Bps;
    disks.memory_total_Bps = storage.total_Bps;
    LinkKind kind;
    kind.name = "storage";
    kind.bandwidth_Bps = std::max(storage.read_Bps, storage.write_Bps); // the disks limit it
    kind.latency = storage.latency;
    platform.links.push_back({"storage", "storage", "storage", platform.cpus.front().name});
    platform.link_kinds.push_back(std::move(kind));
    platform.cpus.push_back(std::move(disks));
    return platform;
}

} // namespace keyswap::simulator
