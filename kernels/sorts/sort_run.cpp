#include "kernels/sorts/sort_run.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/ranks/rank_step.hpp"
#include "kernels/runtime/chunk_upload.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <string>
#include <utility>

namespace keyswap::kernels {

SortRun::SortRun(SorterState& state, std::uint64_t key_count, PhaseTiming timing, TraceSink* trace)
    : state_(state), clock_(state.clock) {
    clock_.restart(timing);
    context_.shape = element_shape(state.options);
    context_.key_shape = key_shape(state.options);
    context_.rule = placement_rule(state.options, key_count);
    context_.key_count = key_count;
    context_.fuse_below = share_of_chunk(context_.rule.chunk_size, state.options.fuse_ppm);
    context_.tuning = state.options.tuning;
    context_.code = image_code(state.options.key_type, state.options.direction);
    context_.ties = state.options.ties();
    context_.trace = trace;
    context_.clock = &clock_;
    context_.exchange = &state.exchange;
    context_.ranks = state.ranks;
    context_.shared = state.shared ? &*state.shared : nullptr;
    context_.input = &input_;
    GpuId id = state.first_gpu;
    for (GpuResources& resources : state.resources) {
        GpuState& gpu = gpus_.emplace_back();
        gpu.resources = &resources;
        gpu.id = id;
        gpu.device = resources.device;
        gpu.stream = resources.stream.get();
        gpu.count = chunk_of(context_, id).count;
        ++id.value;
    }
}

void SortRun::use_own_buffers() {
    for (GpuState& gpu : gpus_) {
        for (std::size_t buffer = 0; buffer < 2; ++buffer) {
            gpu.buffers.keys[buffer] = gpu.resources->keys[buffer].data();
            gpu.buffers.values[buffer] = gpu.resources->values[buffer].data();
        }
    }
}

void SortRun::use_buffers(std::span<DeviceChunk const> chunks) {
    for (GpuState& gpu : gpus_) {
        DeviceChunk const& chunk = chunks[gpu.id.value - state_.first_gpu.value];
        gpu.buffers.keys = {chunk.keys, chunk.alternate_keys};
        gpu.buffers.values = {chunk.values, chunk.alternate_values};
        if (chunk.stream != nullptr) {
            gpu.stream = static_cast<cudaStream_t>(chunk.stream);
        }
    }
}

void SortRun::start_clock() {
    for (GpuState const& gpu : gpus_) {
        clock_.start(gpu.id, gpu.device, gpu.stream);
        delay_injection::delay(gpu.stream);
    }
}

void SortRun::copy_from_host(Columns<void> const& host) {
    NvtxRange const range{"host to device"};
    auto const awaits_uploads = driver_of(state_.options).awaits_uploads;
    bool const in_pieces =
        awaits_uploads != nullptr && awaits_uploads(state_.options, state_.workspace.key_capacity);
    for (GpuState& gpu : gpus_) {
        DeviceScope const scope{gpu.device};
        std::uint64_t const begin =
            chunk_of(context_, gpu.id).offset - chunk_of(context_, state_.first_gpu).offset;
        Columns<void> const chunk{element(host.keys, context_.shape.key_bytes, begin),
                                  element(host.values, context_.shape.value_bytes, begin)};
        if (in_pieces) {
            start_upload(context_, gpu, chunk);
            continue;
        }
        auto const phase = begin_phase(context_, gpu, Phase::host_to_device);
        KeyRange const all{0, gpu.count};
        upload_range(gpu.stream, gpu.buffers.keys[0], chunk.keys, context_.shape.key_bytes, all);
        upload_range(
            gpu.stream, gpu.buffers.values[0], chunk.values, context_.shape.value_bytes, all);
        clock_.end(phase);
    }
}

void SortRun::copy_share_to_host(SortReport& report, Columns<void> const& host) {
    GpuState& gpu = gpus_.front();
    SortedChunk& owned = report.chunks.front();
    DeviceScope const scope{gpu.device};
    copy_owned_to_host(context_, gpu, {gpu.id, 0, owned.count}, host);
    synchronize();
    owned.in_alternate = false;
    report.times = clock_.times();
}

SortReport SortRun::sort_chunks(std::optional<Columns<void>> const& host) {
    context_.chunk_input = host.has_value() ? nullptr : &input_;
    SortOutcome const outcome =
        driver_of(state_.options)
            .sort({state_.options, state_.workspace.key_capacity, context_, gpus_, host});
    synchronize();
    return report_of(outcome);
}

void SortRun::abandon() const noexcept {
    if (state_.ranks != nullptr) {
        state_.ranks->abandon();
    }
}

void SortRun::drain() const {
    for (GpuState const& gpu : gpus_) {
        static_cast<void>(cudaStreamSynchronize(gpu.stream));
    }
    state_.drain();
}

void SortRun::synchronize() const {
    for (GpuState const& gpu : gpus_) {
        await_stream(context_, gpu.stream, "end of the sort");
    }
}

SortReport SortRun::report_of(SortOutcome const& outcome) const {
    SortReport report;
    report.passes = outcome.passes;
    report.peer_access = state_.peer_access;
    report.times = clock_.times();
    for (GpuState const& gpu : gpus_) {
        OwnershipRecord const& owned = outcome.ownership[gpu.id.value];
        report.chunks.push_back({owned.base, owned.count, gpu.buffers.current == 1});
    }
    write_records(context_, report.times);
    return report;
}

SortExpected<SortReport> run_sort(SorterState& state,
                                  std::uint64_t key_count,
                                  PhaseTiming timing,
                                  TraceSink* trace,
                                  std::function<SortReport(SortRun&)> const& body) {
    if (key_count > state.key_count_max) {
        return tl::unexpected(refused("this sorter was made for " +
                                      std::to_string(state.key_count_max) + " keys, not " +
                                      std::to_string(key_count) + ". Make a larger one."));
    }
    SortRun run{state, key_count, timing, trace};
    auto const failed = [&run](SortError error) {
        run.drain();
        error.input = run.input();
        return tl::unexpected(std::move(error));
    };
    try {
        return body(run);
    } catch (CudaFailure const& failure) {
        run.abandon();
        return failed(error_of(failure, run.input()));
    } catch (RankLost const& lost) {
        run.abandon();
        return failed(error_of(lost, run.input()));
    } catch (SortRefused const& refused) {
        // All ranks throw this.
        return failed({SortErrorCode::invalid_option, refused.message, run.input()});
    }
}

} // namespace keyswap::kernels
