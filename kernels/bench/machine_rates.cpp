#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/timings.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/device/peer_access.hpp"
#include "kernels/runtime/gpu_state.hpp"

#include <chrono>
#include <utility>

namespace keyswap::kernels {

namespace {

enum class HostDirection { to_device, to_host };

/// Buffers and streams for all rates.
class CopyProbe {
  public:
    CopyProbe(std::vector<int> const& devices, std::uint64_t bytes)
        : devices_(devices), bytes_(bytes), host_(static_cast<std::size_t>(bytes) * devices.size()),
          host_out_(static_cast<std::size_t>(bytes) * devices.size()) {
        static_cast<void>(enable_peer_access({devices.begin(), devices.end()}));
        for (int const device : devices) {
            from_.emplace_back(device, bytes);
            to_.emplace_back(device, bytes);
            streams_.emplace_back(device);
            back_streams_.emplace_back(device);
        }
    }

    [[nodiscard]] std::size_t gpus() const { return devices_.size(); }
    [[nodiscard]] double size() const { return static_cast<double>(bytes_); }

    /// GB/s of the copies that `queue` adds to the streams: the median of five after a warm-up.
    template <class Queue>
    [[nodiscard]] double rate(double moved_bytes, Queue const& queue) const {
        constexpr int copy_repeats = 5;
        std::vector<double> times;
        for (int i = 0; i <= copy_repeats; ++i) {
            synchronize();
            auto const begin = std::chrono::steady_clock::now();
            queue();
            synchronize();
            double const elapsed = milliseconds_since(begin);
            if (i > 0) {
                times.push_back(elapsed);
            }
        }
        return moved_bytes / median_of(std::move(times)) / 1e6;
    }

    void queue_host(std::size_t gpu, HostDirection direction) const {
        bool const to_device = direction == HostDirection::to_device;
        DeviceScope const scope{devices_[gpu]};
        KEYSWAP_CUDA(cudaMemcpyAsync(to_device ? to_[gpu].data() : host_out_.data() + gpu * bytes_,
                                     to_device ? host_.data() + gpu * bytes_ : from_[gpu].data(),
                                     bytes_,
                                     to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                                     (to_device ? streams_ : back_streams_)[gpu].get()));
    }

    void queue_peer(std::size_t source, std::size_t destination) const {
        copy_async(streams_[source].get(),
                   devices_[destination],
                   to_[destination].data(),
                   devices_[source],
                   from_[source].data(),
                   bytes_);
    }

    /// Every GPU sends a share to every other, starting with the next GPU.
    void queue_all_to_all() const {
        std::uint64_t const part = bytes_ / gpus();
        for (std::size_t turn = 1; turn < gpus(); ++turn) {
            for (std::size_t i = 0; i < gpus(); ++i) {
                std::size_t const peer = (i + turn) % gpus();
                copy_async(streams_[i].get(),
                           devices_[peer],
                           to_[peer].data() + i * part,
                           devices_[i],
                           from_[i].data() + peer * part,
                           part);
            }
        }
    }

  private:
    void synchronize() const {
        for (int const device : devices_) {
            DeviceScope const scope{device};
            KEYSWAP_CUDA(cudaDeviceSynchronize());
        }
    }

    std::vector<int> devices_;
    std::uint64_t bytes_;
    PinnedBuffer<std::byte> host_;
    PinnedBuffer<std::byte> host_out_;
    std::vector<DeviceBuffer<std::byte>> from_;
    std::vector<DeviceBuffer<std::byte>> to_;
    std::vector<Stream> streams_;
    std::vector<Stream> back_streams_;
};

void measure_host_links(CopyProbe const& probe, MachineRates& rates) {
    auto const count = static_cast<double>(probe.gpus());
    auto const queue_all = [&probe](HostDirection direction) {
        for (std::size_t i = 0; i < probe.gpus(); ++i) {
            probe.queue_host(i, direction);
        }
    };
    for (std::size_t i = 0; i < probe.gpus(); ++i) {
        rates.host_to_device.push_back(
            probe.rate(probe.size(), [&] { probe.queue_host(i, HostDirection::to_device); }));
        rates.device_to_host.push_back(
            probe.rate(probe.size(), [&] { probe.queue_host(i, HostDirection::to_host); }));
    }
    rates.host_to_device_all =
        probe.rate(count * probe.size(), [&] { queue_all(HostDirection::to_device); });
    rates.device_to_host_all =
        probe.rate(count * probe.size(), [&] { queue_all(HostDirection::to_host); });
    rates.host_both_ways_all = probe.rate(2 * count * probe.size(), [&] {
        queue_all(HostDirection::to_device);
        queue_all(HostDirection::to_host);
    });
}

void measure_peer_links(CopyProbe const& probe, MachineRates& rates) {
    std::size_t const gpus = probe.gpus();
    rates.peer.assign(gpus * gpus, 0.0);
    for (std::size_t i = 0; i < gpus; ++i) {
        for (std::size_t j = 0; j < gpus; ++j) {
            if (i != j) {
                rates.peer[i * gpus + j] =
                    probe.rate(probe.size(), [&] { probe.queue_peer(i, j); });
            }
        }
    }
    if (gpus > 1) {
        rates.peer_pair = rates.peer[1];
        double const out = probe.size() * static_cast<double>(gpus - 1) / static_cast<double>(gpus);
        rates.all_to_all_out = probe.rate(out, [&] { probe.queue_all_to_all(); });
    }
}

} // namespace

SortExpected<MachineRates> bench_machine(std::vector<int> const& devices, std::uint64_t bytes) {
    return guarded([&]() -> SortExpected<MachineRates> {
        CopyProbe const probe{devices, bytes};
        MachineRates rates;
        rates.memory_copy = probe.rate(2 * probe.size(), [&] { probe.queue_peer(0, 0); });
        measure_host_links(probe, rates);
        measure_peer_links(probe, rates);
        return rates;
    });
}

} // namespace keyswap::kernels
