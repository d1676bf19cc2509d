#include "simulator/schedules/schedule_builder.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace keyswap::simulator {

namespace {

SimTime from_microseconds(double value) {
    return from_seconds(value * 1e-6);
}

} // namespace

std::uint64_t keys_in(std::span<std::uint64_t const> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

bool are_images(model::SortConfig const& config) {
    KeyKind const kind = kind_of(config.key_type);
    return (kind == KeyKind::unsigned_integer || kind == KeyKind::bytes) &&
           config.direction == Direction::ascending;
}

ScheduleBuilder::ScheduleBuilder(ScheduleInput const& input)
    : input_(input), record_bytes_(input.config.element_bytes()),
      key_bytes_(key_size_bytes(input.config.key_type)) {
    KEYSWAP_EXPECTS(input.gpus.size() == input.config.gpu_count);
    KEYSWAP_EXPECTS(input.input_memories.size() == input.gpus.size());
    KEYSWAP_EXPECTS(input.machines.size() == input.gpus.size());
    KEYSWAP_EXPECTS(input.output_memories.size() == input.gpus.size());
    std::map<std::uint32_t, std::uint32_t> on_machine;
    for (std::uint32_t const machine : input.machines) {
        places_.push_back(on_machine[machine]++);
        machine_count_ = std::max(machine_count_, machine + 1);
    }
    graph.warm_at = from_seconds(input.device.warm_up_ms * 1e-3);
    thread_ = graph.add_stream("host thread", std::nullopt);
    for (std::uint32_t const machine : input.machines) {
        if (!node_threads_.contains(machine)) {
            StreamId const thread =
                node_threads_.empty()
                    ? thread_
                    : graph.add_stream("host thread of node " + std::to_string(machine),
                                       std::nullopt);
            node_threads_.emplace(machine, thread);
        }
    }
    for (std::uint32_t const gpu : input.gpus) {
        std::string const name = "GPU " + std::to_string(gpu);
        kernel_streams_.push_back(graph.add_stream(name + " kernels and swap", gpu));
        host_streams_.push_back(graph.add_stream(name + " copy back", gpu));
    }
}

std::uint32_t ScheduleBuilder::gpu_count() const {
    return static_cast<std::uint32_t>(input_.gpus.size());
}

MemoryPlace ScheduleBuilder::memory_of(std::uint32_t gpu) const {
    return gpu_memory(input_.gpus[gpu]);
}

std::span<TaskId const> ScheduleBuilder::last_barrier() const {
    return barrier_;
}

TaskId ScheduleBuilder::add(Task task, std::optional<Phase> phase) {
    return add_after(task, phase, last_barrier());
}

TaskId
ScheduleBuilder::add_after(Task task, std::optional<Phase> phase, std::span<TaskId const> after) {
    task.phase = phase;
    TaskId const id = graph.add(task, after);
    since_barrier_.push_back(id);
    return id;
}

StreamId ScheduleBuilder::add_stream(std::uint32_t gpu, std::string const& purpose) {
    std::uint32_t const number = input_.gpus[gpu];
    return graph.add_stream("GPU " + std::to_string(number) + " " + purpose, number);
}

void ScheduleBuilder::upload(std::uint32_t gpu, std::uint64_t key_count) {
    if (key_count > 0 && needs_upload(gpu)) {
        add(upload_task(gpu, kernel_streams_[gpu], key_count * record_bytes_),
            Phase::host_to_device);
    }
}

void ScheduleBuilder::upload(model::Chunks const& chunks) {
    for (GpuId gpu{0}; gpu.value < gpu_count(); ++gpu.value) {
        upload(gpu.value, chunks.of(gpu).size());
    }
    barrier();
}

bool ScheduleBuilder::needs_upload(std::uint32_t gpu) const {
    return input_.input_memories[gpu] != memory_of(gpu);
}

Task ScheduleBuilder::upload_task(std::uint32_t gpu, StreamId stream, std::uint64_t bytes) const {
    Task task;
    task.work = CopyWork{input_.input_memories[gpu], memory_of(gpu), bytes};
    task.stream = stream;
    task.launch = from_microseconds(input_.device.host_copy_launch_us);
    task.cold_slowdown = input_.device.cold_to_device;
    return task;
}

TaskId ScheduleBuilder::upload_piece(std::uint32_t gpu,
                                     StreamId stream,
                                     std::uint64_t bytes,
                                     QueuedPiece place) {
    Task task = upload_task(gpu, stream, bytes);
    if (place == QueuedPiece::later) {
        task.launch = SimTime{};
    }
    return add_after(task, Phase::host_to_device, {});
}

Task ScheduleBuilder::kernel_task(std::uint32_t gpu,
                                  KernelCost cost,
                                  double launch_us,
                                  int pass) const {
    Task task;
    task.work = KernelWork{input_.gpus[gpu], cost.duration, cost.hbm_bytes};
    task.stream = kernel_streams_[gpu];
    task.launch = from_microseconds(launch_us);
    task.cold_slowdown = cost.cold_slowdown;
    task.pass = pass;
    return task;
}

TaskId ScheduleBuilder::launch_kernels(
    std::uint32_t gpu, KernelCost cost, int launches, Phase phase, std::span<TaskId const> after) {
    return add_after(
        kernel_task(gpu, cost, launches * input_.device.fast->launch_us), phase, after);
}

TaskId ScheduleBuilder::kernel(
    std::uint32_t gpu, KernelCost cost, Phase phase, int pass, std::span<TaskId const> called) {
    return add_after(
        kernel_task(gpu, cost, 0.0, pass), phase, called.empty() ? last_barrier() : called);
}

std::optional<Task> ScheduleBuilder::image_change_task(std::uint32_t gpu,
                                                       std::uint64_t key_count,
                                                       double launch_us) const {
    if (key_count == 0 || !changes_images()) {
        return std::nullopt;
    }
    KernelCost const cost = FastKernels{input_.device}.change_images(key_bytes_, key_count);
    return kernel_task(gpu, cost, launch_us);
}

void ScheduleBuilder::image_change(std::uint32_t gpu, std::uint64_t key_count, Phase phase) {
    if (auto const task = image_change_task(gpu, key_count, 0.0)) {
        add(*task, phase);
    }
}

void ScheduleBuilder::host_work(double microseconds, Phase phase, int pass) {
    Task task;
    task.stream = thread_;
    task.launch = from_microseconds(microseconds);
    task.pass = pass;
    add(task, phase);
}

TaskId ScheduleBuilder::occupy_host(double microseconds) {
    return occupy_thread(thread_, microseconds, last_barrier());
}

TaskId ScheduleBuilder::host_calls(std::uint32_t gpu, int calls) {
    return occupy_thread(thread_of(gpu), calls * input_.device.peer_copy_launch_us, last_barrier());
}

TaskId
ScheduleBuilder::calls_ahead(std::uint32_t gpu, double calls, std::span<TaskId const> after) {
    return occupy_thread(thread_of(gpu), calls * input_.device.host_call_us, after);
}

TaskId ScheduleBuilder::occupy_thread(StreamId thread,
                                      double microseconds,
                                      std::span<TaskId const> after) {
    Task task;
    task.stream = thread;
    task.launch = from_microseconds(microseconds);
    return add_after(task, std::nullopt, after);
}

void ScheduleBuilder::peer_copy(std::uint32_t source,
                                std::uint32_t destination,
                                std::uint64_t key_count,
                                Phase phase,
                                std::uint32_t pieces) {
    Task task;
    task.work = CopyWork{memory_of(source),
                         memory_of(destination),
                         key_count * record_bytes_,
                         CopyExtent::whole,
                         pieces};
    task.stream = kernel_streams_[source];
    task.launch = from_microseconds(input_.device.peer_copy_launch_us);
    task.rate_max_Bps = source == destination ? input_.device.local_copy_GBps * 1e9 : 0.0;
    task.cold_slowdown = source == destination ? 1.0 : input_.device.cold_peer_copy;
    add(task, phase);
}

bool ScheduleBuilder::needs_download(std::uint32_t gpu) const {
    return input_.output_memories[gpu] != memory_of(gpu);
}

void ScheduleBuilder::download(std::uint32_t gpu,
                               std::uint64_t key_count,
                               std::span<TaskId const> after,
                               CopyExtent extent) {
    if (key_count == 0 || !needs_download(gpu)) {
        return;
    }
    Task task;
    task.work =
        CopyWork{memory_of(gpu), input_.output_memories[gpu], key_count * record_bytes_, extent};
    task.stream = host_streams_[gpu];
    task.launch = from_microseconds(input_.device.host_copy_launch_us);
    task.cold_slowdown = input_.device.cold_to_host;
    add_after(task, Phase::device_to_host, after.empty() ? last_barrier() : after);
}

void ScheduleBuilder::download(model::Chunks const& chunks) {
    for (GpuId gpu{0}; gpu.value < gpu_count(); ++gpu.value) {
        download(gpu.value, chunks.of(gpu).size(), {});
    }
    barrier();
}

std::uint32_t ScheduleBuilder::turn(std::uint32_t source, std::uint32_t destination) const {
    std::uint32_t const gpus = gpu_count();
    if (source == destination) {
        return machine_count_ * gpus; // after all others
    }
    auto const& machines = input_.machines;
    std::uint32_t const apart =
        (machines[destination] + machine_count_ - machines[source]) % machine_count_;
    std::uint32_t const steps = (places_[destination] + gpus - places_[source]) % gpus;
    return apart * gpus + steps;
}

void ScheduleBuilder::barrier() {
    if (since_barrier_.empty()) {
        return;
    }
    Task task;
    TaskId const id = graph.add(task, since_barrier_);
    since_barrier_.clear();
    barrier_ = {id};
}

} // namespace keyswap::simulator
