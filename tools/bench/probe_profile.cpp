#include "tools/bench/probe_profile.hpp"

#include "simulator/cost/fast_cost.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <set>
#include <string_view>

namespace keyswap::tools {

namespace {

using simulator::DeviceProfile;
using simulator::FastKernels;
using simulator::KernelCost;
using simulator::Platform;

std::string origin_of(ProbeResult const& probe) {
    return "measured: keyswap calibrate --probe on " + std::to_string(probe.devices.size()) +
           " x " + probe.device + ", driver " + probe.driver + ", " + probe.date;
}

/// Sets constants by their names in profile files.
class ConstantSetter {
  public:
    ConstantSetter(DeviceProfile& profile, std::string origin)
        : profile_(profile), constants_(simulator::constants_of(profile)),
          origin_(std::move(origin)) {}

    [[nodiscard]] simulator::ProfileConstant const& constant(std::string_view name) const {
        auto const found = std::ranges::find(constants_, name, &simulator::ProfileConstant::name);
        KEYSWAP_EXPECTS(found != constants_.end());
        return *found;
    }

    void operator()(std::string_view name, double value) {
        *constant(name).value = std::max(0.0, value);
        profile_.origins[std::string(name)] = origin_;
        measured_.emplace(name);
    }

    /// Marks the other constants as assumed, since another machine's measurements gave them.
    void assume_others(std::string const& of_profile) {
        for (simulator::ProfileConstant const& constant : constants_) {
            std::string& origin = profile_.origins[constant.name];
            if (!measured_.contains(constant.name) && !origin.starts_with("assumed")) {
                origin = "assumed: as in profile '" + of_profile + "' (" + origin + ")";
            }
        }
    }

  private:
    DeviceProfile& profile_;
    std::vector<simulator::ProfileConstant> constants_;
    std::string origin_;
    std::set<std::string, std::less<>> measured_;
};

void set_width(ConstantSetter& set, std::string const& table, kernels::KeyWidthRates const& rates) {
    double const pass = (rates.sort_ps[3] - rates.sort_ps[0]) / 3; // three more 8-bit passes
    set(table + ".histogram", rates.histogram_ps);
    set(table + ".scatter_row", rates.scatter_ps);
    set(table + ".scatter_conflict", rates.scatter_one_digit_ps - rates.scatter_ps);
    set(table + ".sort_pass", pass);
    set(table + ".sort_base", rates.sort_ps[0] - pass);
    set(table + ".merge", rates.merge_ps);
}

/// Fits constants of variant `fast` to the times of its kernels.
class FastFit {
  public:
    FastFit(ConstantSetter& set, DeviceProfile& profile) : set_(set), profile_(profile) {}

    static constexpr std::uint64_t keys = std::uint64_t{1} << 27;

    /// Sets the constant so that the model's time equals the measured one, or comes closest, within
    /// a factor of 1000 of its present value.
    /// \param measured_ps picoseconds per key of each kernel \param costs of the same kernels for
    /// `keys` keys, which all grow or all fall with the constant
    void operator()(std::string_view name,
                    std::initializer_list<double> measured_ps,
                    std::function<std::vector<KernelCost>(FastKernels const&)> const& costs) {
        double& constant = *set_.constant(name).value;
        double const before = constant;
        double const measured = std::reduce(measured_ps.begin(), measured_ps.end()) * 1e-12 * keys;
        auto const seconds = [&](double tried) {
            constant = tried;
            double sum = 0.0;
            for (KernelCost const& cost : costs(FastKernels{profile_})) {
                sum += simulator::to_seconds(cost.duration);
            }
            return sum;
        };
        double low = before * 1e-3;
        double high = before * 1e3;
        bool const grows = seconds(high) > seconds(low);
        // If another term dominates, chooses the constant at which it just begins to.
        double const least = 1.001 * std::min(seconds(low), seconds(high));
        double const wanted = std::max(measured, least);
        constexpr int halvings = 60;
        for (int i = 0; i < halvings; ++i) {
            double const middle = (low + high) / 2;
            bool const takes_too_long = seconds(middle) > wanted;
            (takes_too_long == grows ? high : low) = middle;
        }
        set_(name, low);
    }

  private:
    ConstantSetter& set_;
    DeviceProfile& profile_;
};

/// \pre copy.local is set: kernel costs are relative to a copy
void set_fast(ConstantSetter& set, DeviceProfile& profile, kernels::KernelRates const& rates) {
    using Costs = std::vector<KernelCost>;
    constexpr std::uint64_t keys = FastFit::keys;
    kernels::FastRates const& fast = rates.fast;
    FastFit fit{set, profile};
    fit("fast.read", {rates.key32.histogram_ps}, [](FastKernels const& model) {
        return Costs{model.histogram(4, keys)};
    });
    fit("fast.count", {fast.count_ps}, [](FastKernels const& model) {
        return Costs{model.count(4, keys, 3)};
    });
    fit("fast.step", {fast.step32_ps, fast.step64_ps}, [](FastKernels const& model) {
        return Costs{model.unstable_step({4, 0}, keys, 8), model.unstable_step({8, 0}, keys, 8)};
    });
    fit("fast.conflict", {fast.step_few_ps}, [](FastKernels const& model) {
        return Costs{model.unstable_step({4, 0}, keys, 4)};
    });
    fit("fast.step_value", {fast.step_pairs_ps}, [](FastKernels const& model) {
        return Costs{model.unstable_step({4, 4}, keys, 8)};
    });
    fit("fast.stable_step32", {fast.stable_step32_ps}, [](FastKernels const& model) {
        return Costs{model.stable_step({4, 0}, keys)};
    });
    fit("fast.stable_step64", {fast.stable_step64_ps}, [](FastKernels const& model) {
        return Costs{model.stable_step({8, 0}, keys)};
    });
    fit("fast.leaf_bin",
        {fast.leaf32_ps, fast.leaf64_ps, fast.leaf_pairs_ps},
        [](FastKernels const& model) {
            return Costs{model.leaf_bins({4, 0}, keys),
                         model.leaf_bins({8, 0}, keys),
                         model.leaf_bins({4, 4}, keys)};
        });
}

std::uint64_t bytes_per_second(double gigabytes) {
    return static_cast<std::uint64_t>(std::llround(gigabytes * 1e9));
}

double median(std::vector<double> values) {
    KEYSWAP_EXPECTS(!values.empty());
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// GB/s read by a kernel over 32-bit keys.
double read_rate(double histogram_ps) {
    return histogram_ps > 0.0 ? 4e3 / histogram_ps : 0.0;
}

/// Name of a GPU in the platform: "gpu3".
std::string gpu_name(std::size_t index) {
    return "gpu" + std::to_string(index);
}

void add_link(Platform& platform,
              std::string const& name,
              std::string const& kind,
              std::string const& from,
              std::string const& to) {
    platform.links.push_back({name, kind, from, to});
}

simulator::LinkKind host_link_kind(ProbeResult const& probe, std::string const& origin) {
    simulator::LinkKind kind;
    kind.name = "host-link";
    kind.bandwidth_Bps = bytes_per_second(median(probe.rates.host_to_device));
    kind.bandwidth_back_Bps = bytes_per_second(median(probe.rates.device_to_host));
    kind.latency = simulator::SimTime{1'000'000}; // picoseconds: 1 us
    kind.origins = {{"rest", origin + ", each GPU alone, the median"},
                    {"latency", "assumed: a microsecond"}};
    return kind;
}

/// Adds no links if no pair has peer access: copies then go through the host.
void add_peer_links(Platform& platform, ProbeResult const& probe, std::string const& origin) {
    std::vector<double> pairs = probe.rates.peer;
    std::erase(pairs, 0.0);
    if (pairs.empty()) {
        return;
    }
    simulator::LinkKind kind;
    kind.name = "peer-link";
    kind.bandwidth_Bps = bytes_per_second(median(pairs));
    kind.latency = simulator::SimTime{1'000'000};
    kind.origins = {{"rest", origin + ", every pair alone, the median"},
                    {"latency", "assumed: a microsecond"}};
    platform.link_kinds.push_back(kind);
    platform.switches.push_back({"fabric", std::nullopt, std::nullopt});
    for (std::size_t i = 0; i < probe.devices.size(); ++i) {
        add_link(platform, "peer " + gpu_name(i), kind.name, gpu_name(i), "fabric");
    }
}

} // namespace

DeviceProfile probed_profile(ProbeResult const& probe, DeviceProfile start) {
    ConstantSetter set(start, origin_of(probe));
    set_width(set, "key32", probe.kernels.key32);
    set_width(set, "key64", probe.kernels.key64);
    set("launch.histogram", probe.kernels.histogram_us);
    set("launch.scatter", probe.kernels.scatter_us);
    set("launch.sort", probe.kernels.sort_us);
    set("launch.call", probe.kernels.host_call_us);
    set("launch.merge", probe.kernels.merge_us);
    set("launch.host_copy", probe.kernels.host_copy_us);
    set("launch.peer_copy", probe.kernels.peer_copy_us);
    set("copy.local", probe.kernels.local_copy_GBps);
    if (start.fast) {
        set_fast(set, start, probe.kernels);
    }
    set.assume_others(start.name);
    start.description = probe.device + ", measured by a probe";
    return start;
}

Platform probed_platform(ProbeResult const& probe,
                         std::string const& name,
                         std::string const& profile_name) {
    KEYSWAP_EXPECTS(!probe.devices.empty());
    std::string const origin = origin_of(probe);
    Platform platform;
    platform.name = name;
    platform.description = std::to_string(probe.devices.size()) + " x " + probe.device +
                           " as a probe on " + probe.date + " found them";
    simulator::Device device;
    device.name = probe.device;
    device.profile = profile_name;
    device.memory_bytes = probe.kernels.memory_bytes;
    // A read-only kernel may exceed the rate of a copy: the memory bus never turns around.
    device.hbm_bandwidth_Bps = bytes_per_second(
        std::max(probe.rates.memory_copy, read_rate(probe.kernels.key32.histogram_ps)));
    device.engines_peer = 4;
    device.origins = {{"rest", origin}, {"engines_peer", "assumed: four copies at once"}};
    platform.devices.push_back(device);

    simulator::Cpu cpu;
    cpu.name = "cpu0";
    cpu.memory_bytes = probe.host_memory_bytes;
    cpu.memory_read_Bps = bytes_per_second(probe.rates.host_to_device_all);
    cpu.memory_write_Bps = bytes_per_second(probe.rates.device_to_host_all);
    cpu.memory_total_Bps = bytes_per_second(std::max({probe.rates.host_both_ways_all,
                                                      probe.rates.host_to_device_all,
                                                      probe.rates.device_to_host_all}));
    cpu.origins = {{"rest", origin + ", all GPUs at once: no more was asked of the memory"}};
    platform.cpus.push_back(cpu);

    platform.link_kinds.push_back(host_link_kind(probe, origin));
    for (std::size_t i = 0; i < probe.devices.size(); ++i) {
        platform.gpus.push_back({gpu_name(i), device.name, std::nullopt});
        add_link(platform, "host " + gpu_name(i), "host-link", cpu.name, gpu_name(i));
    }
    add_peer_links(platform, probe, origin);
    return platform;
}

} // namespace keyswap::tools
