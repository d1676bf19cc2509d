#include "simulator/schedules/node_exchange.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <compare>
#include <map>

namespace keyswap::simulator {

namespace {

/// GPUs by node: nodes indexed in the order of their numbers, GPUs in the sort's order.
struct Nodes {
    std::vector<std::uint32_t> node;                 ///< [g]
    std::vector<std::uint32_t> place;                ///< [g] rank within its node
    std::vector<std::vector<std::uint32_t>> members; ///< [node] its GPUs

    [[nodiscard]] std::uint32_t size_of(std::uint32_t number) const {
        return static_cast<std::uint32_t>(members[number].size());
    }
};

Nodes nodes_of(std::span<std::uint32_t const> machines) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_machine;
    for (std::uint32_t gpu = 0; gpu < machines.size(); ++gpu) {
        by_machine[machines[gpu]].push_back(gpu);
    }
    Nodes nodes{std::vector<std::uint32_t>(machines.size()),
                std::vector<std::uint32_t>(machines.size()),
                {}};
    for (auto& [machine, gpus] : by_machine) {
        for (std::uint32_t place = 0; place < gpus.size(); ++place) {
            nodes.node[gpus[place]] = static_cast<std::uint32_t>(nodes.members.size());
            nodes.place[gpus[place]] = place;
        }
        nodes.members.push_back(std::move(gpus));
    }
    return nodes;
}

/// Identifies a message; the order of the fields is the order in time.
struct MessageId {
    std::uint32_t apart = 0; ///< distance from the sender's node, modulo nodes
    std::uint32_t wave = 0;  ///< > 0 if a GPU sends to several GPUs of the node
    std::uint32_t destination = 0;
    std::uint32_t sender = 0;
    friend auto operator<=>(MessageId const&, MessageId const&) = default;
};

MessageId message_of(Nodes const& nodes, CopyRecord const& copy) {
    auto const count = static_cast<std::uint32_t>(nodes.members.size());
    std::uint32_t const from = nodes.node[copy.source.value];
    std::uint32_t const place = nodes.place[copy.destination.value];
    std::uint32_t const size = nodes.size_of(from);
    return {(nodes.node[copy.destination.value] + count - from) % count,
            place / size,
            copy.destination.value,
            nodes.members[from][place % size]};
}

/// Rank of a sender among a source's gathers: the next GPU of the node first, itself last.
std::uint32_t gather_turn(Nodes const& nodes, CopyRecord const& gather) {
    std::uint32_t const size = nodes.size_of(nodes.node[gather.source.value]);
    return (nodes.place[gather.destination.value] + size - nodes.place[gather.source.value] - 1) %
           size;
}

/// A copy, or a train of copies.
struct Part {
    CopyRecord copy;
    std::uint32_t pieces = 1;
};

/// Copies of one round, by step.
struct Round {
    std::vector<Part> gathers;
    std::vector<Part> sends;
    std::vector<Part> spreads;
};

/// Lays out a message contiguously, by source and position in its chunk.
void add_message(Round& round, MessageId const& id, std::vector<Part> parts) {
    std::ranges::stable_sort(parts, {}, [](Part const& part) {
        return std::pair{part.copy.source, part.copy.source_offset};
    });
    GpuId const sender{id.sender};
    GpuId const destination{id.destination};
    std::uint64_t staged = 0;
    CopyRecord const* before = nullptr;
    for (auto const& [part, pieces] : parts) {
        bool const goes_on = before != nullptr && before->source == part.source &&
                             before->source_offset + before->count == part.source_offset;
        if (goes_on) {
            round.gathers.back().copy.count += part.count;
        } else {
            round.gathers.push_back(
                {{part.source, part.source_offset, sender, staged, part.count}});
        }
        round.spreads.push_back(
            {{destination, staged, destination, part.destination_offset, part.count}, pieces});
        staged += part.count;
        before = &part;
    }
    round.sends.push_back({{sender, 0, destination, 0, staged}});
}

void append(std::vector<StagedCopy>& staged,
            std::uint32_t round,
            ExchangeStep step,
            std::span<Part const> parts) {
    for (auto const& [copy, pieces] : parts) {
        staged.push_back({round, step, copy, pieces});
    }
}

} // namespace

std::vector<StagedCopy> node_exchange(std::span<CopyRecord const> copies,
                                      std::span<std::uint32_t const> machines,
                                      std::span<std::uint32_t const> pieces) {
    KEYSWAP_EXPECTS(pieces.empty() || pieces.size() == copies.size());
    Nodes const nodes = nodes_of(machines);
    std::vector<StagedCopy> staged;
    std::map<MessageId, std::vector<Part>> messages;
    for (std::size_t index = 0; index < copies.size(); ++index) {
        CopyRecord const& copy = copies[index];
        std::uint32_t const of_it = pieces.empty() ? 1 : pieces[index];
        KEYSWAP_EXPECTS(std::max(copy.source, copy.destination).value < machines.size());
        if (nodes.node[copy.source.value] == nodes.node[copy.destination.value]) {
            staged.push_back({0, ExchangeStep::within, copy, of_it});
        } else {
            messages[message_of(nodes, copy)].push_back({copy, of_it});
        }
    }
    std::uint32_t number = 0;
    for (auto message = messages.begin(); message != messages.end();) {
        Round round;
        MessageId const first = message->first;
        while (message != messages.end() && message->first.apart == first.apart &&
               message->first.wave == first.wave) {
            add_message(round, message->first, std::move(message->second));
            ++message;
        }
        std::ranges::stable_sort(round.gathers, {}, [&](Part const& gather) {
            return std::pair{gather.copy.source, gather_turn(nodes, gather.copy)};
        });
        ++number;
        append(staged, number, ExchangeStep::gather, round.gathers);
        append(staged, number, ExchangeStep::send, round.sends);
        append(staged, number, ExchangeStep::spread, round.spreads);
    }
    return staged;
}

std::size_t add_swap(ScheduleBuilder& builder,
                     std::span<CopyRecord const> copies,
                     std::span<std::uint32_t const> pieces) {
    std::size_t queued = 0;
    auto const queue = [&](CopyRecord const& copy, std::uint32_t of_it) {
        builder.peer_copy(
            copy.source.value, copy.destination.value, copy.count, Phase::key_swap, of_it);
        queued += of_it;
    };
    if (builder.swap_order() == SwapOrder::flat) {
        builder.graph.tasks.reserve(builder.graph.tasks.size() + copies.size());
        for (std::size_t index = 0; index < copies.size(); ++index) {
            queue(copies[index], pieces.empty() ? 1 : pieces[index]);
        }
        return queued;
    }
    std::vector<StagedCopy> const staged = node_exchange(copies, builder.machines(), pieces);
    ExchangeStep before = ExchangeStep::within;
    for (StagedCopy const& next : staged) {
        // No barrier before gathers: they fill the staging buffer that spreads do not read.
        if (next.step != before && next.step != ExchangeStep::gather) {
            builder.barrier();
        }
        queue(next.copy, next.pieces);
        before = next.step;
    }
    return queued;
}

} // namespace keyswap::simulator
