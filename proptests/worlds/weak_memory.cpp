#include "proptests/worlds/weak_memory.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_set>

namespace keyswap::proptests {

namespace {

using Kind = Operation::Kind;

/// Thrown when a thread has used up its recorded answers.
struct NextOperation {
    Operation operation;
};

/// [word] index of the latest value known.
using View = std::vector<std::uint8_t>;

void join(View& view, View const& other) {
    std::ranges::transform(
        view, other, view.begin(), [](auto one, auto two) { return std::max(one, two); });
}

struct Message {
    std::uint64_t value;
    bool is_plain;
    View view; ///< view acquired by an acquire load
};

struct ThreadState {
    std::vector<std::uint64_t> answers;
    View current;
    View acquired;                  ///< current plus all views it has read; applied by a fence
    View released;                  ///< view at its last fence, which relaxed stores pass on
    std::optional<Operation> asked; ///< operation that got the last answer
    std::optional<Operation> next;  ///< nullopt if the thread has ended
};

struct State {
    std::vector<std::vector<Message>> memory; ///< [word] values, oldest first
    std::vector<ThreadState> threads;
};

struct Step {
    std::string text;
    State after;
};

void append(std::string& key, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        key.push_back(static_cast<char>(0x80 | (value & 0x7f)));
    }
    key.push_back(static_cast<char>(value));
}

/// Canonical key: equal only for equal states. Operations need no encoding: answers determine them.
std::string to_key(State const& state) {
    std::string key;
    for (auto const& messages : state.memory) {
        append(key, messages.size());
        for (Message const& message : messages) {
            append(key, message.value);
            append(key, message.is_plain ? 1U : 0U);
            key.append(message.view.begin(), message.view.end());
        }
    }
    for (ThreadState const& thread : state.threads) {
        append(key, thread.answers.size());
        for (std::uint64_t const answer : thread.answers) {
            append(key, answer);
        }
        for (View const* const view : {&thread.current, &thread.acquired, &thread.released}) {
            key.append(view->begin(), view->end());
        }
    }
    return key;
}

/// Updates a thread's views by a value that it reads; an acquire load also gets the store's view.
void learn(ThreadState& thread,
           Message const& message,
           Operation const& operation,
           std::size_t at) {
    View view = message.view;
    view[operation.word] = static_cast<std::uint8_t>(at);
    join(thread.acquired, view);
    thread.current[operation.word] = std::max(thread.current[operation.word], view[operation.word]);
    if (operation.order == Order::acquire) {
        join(thread.current, view);
    }
}

} // namespace

std::uint64_t WeakThread::ask(Operation const& operation) {
    if (next_ == answers_.size()) {
        throw NextOperation{operation};
    }
    return answers_[next_++];
}

Word WeakProgram::word(std::string name, std::uint64_t initial) {
    names_.push_back(std::move(name));
    initial_.push_back(initial);
    return names_.size() - 1;
}

std::vector<Word>
WeakProgram::words(std::string const& name, std::size_t count, std::uint64_t initial) {
    std::vector<Word> made;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back(word(name + "[" + std::to_string(i) + "]", initial));
    }
    return made;
}

void WeakProgram::add_thread(ThreadPlace place, std::function<void(WeakThread&)> code) {
    threads_.push_back({place, std::move(code)});
}

class WeakSearch {
  public:
    WeakSearch(WeakProgram const& program, std::function<bool(FinalWords const&)> const& is_right)
        : program_(program), is_right_(is_right) {}

    SearchResult run() {
        View const nothing(program_.initial_.size(), 0);
        State first;
        for (std::uint64_t const value : program_.initial_) {
            first.memory.push_back({{value, false, nothing}});
        }
        for (std::size_t i = 0; i < program_.threads_.size(); ++i) {
            first.threads.push_back({{}, nothing, nothing, nothing, {}, {}});
            ask_next(first, i);
        }
        visit(first);
        result_.states = seen_.size();
        return std::move(result_);
    }

  private:
    /// Visits all successors of a state unless it has been seen. \returns false after a problem
    bool visit(State const& state) {
        KEYSWAP_ENSURES(result_.path.size() < 1000); // otherwise a loop never ends
        if (!seen_.insert(to_key(state)).second) {
            return true;
        }
        if (std::ranges::none_of(state.threads, [](auto const& thread) { return !!thread.next; })) {
            FinalWords words;
            for (auto const& messages : state.memory) {
                words.push_back(messages.back().value);
            }
            result_.problem = is_right_(words) ? "" : "wrong result";
            return result_.problem.empty();
        }
        std::vector<Step> const steps = steps_from(state);
        if (result_.problem.empty() && steps.empty()) {
            result_.problem = "stuck";
        }
        for (Step const& step : steps) {
            if (!result_.problem.empty()) {
                break;
            }
            result_.path.push_back(step.text);
            if (visit(step.after)) {
                result_.path.pop_back();
            }
        }
        return result_.problem.empty();
    }

    /// All steps that change the state. A fence or meeting commutes with all steps of other
    /// threads, so it suffices to explore it alone.
    std::vector<Step> steps_from(State const& state) {
        std::vector<Step> steps;
        for (std::size_t i = 0; i < state.threads.size(); ++i) {
            auto const& next = state.threads[i].next;
            if (!next || !has_slot(state, program_.threads_[i].place.block)) {
                continue;
            }
            if (next->kind == Kind::fence) {
                return {fence(state, i)};
            }
            if (next->kind == Kind::barrier || next->kind == Kind::sum) {
                if (auto meeting = meet(state, i)) {
                    return {std::move(*meeting)};
                }
                continue;
            }
            std::ranges::move(accesses(state, i), std::back_inserter(steps));
        }
        std::erase_if(
            steps, [key = to_key(state)](Step const& step) { return to_key(step.after) == key; });
        return steps;
    }

    [[nodiscard]] bool has_slot(State const& state, std::size_t block) const {
        std::vector<bool> has_ended(block, true);
        for (std::size_t i = 0; i < state.threads.size(); ++i) {
            if (program_.threads_[i].place.block < block && state.threads[i].next) {
                has_ended[program_.threads_[i].place.block] = false;
            }
        }
        return static_cast<std::size_t>(std::ranges::count(has_ended, false)) < program_.slots_;
    }

    Step fence(State state, std::size_t i) const {
        ThreadState& thread = state.threads[i];
        thread.current = thread.acquired;
        thread.released = thread.current;
        return answered(std::move(state), i, 0);
    }

    /// Completes a barrier or sum if all threads of the group have reached it; else nullopt.
    [[nodiscard]] std::optional<Step> meet(State const& state, std::size_t i) const {
        Operation const operation = *state.threads[i].next;
        ThreadPlace const own = program_.threads_[i].place;
        std::vector<std::size_t> group;
        View known(program_.initial_.size(), 0);
        std::uint64_t sum = 0;
        for (std::size_t other = 0; other < state.threads.size(); ++other) {
            ThreadPlace const place = program_.threads_[other].place;
            if (operation.group != Group::grid &&
                (place.block != own.block ||
                 (operation.group == Group::warp && place.warp != own.warp))) {
                continue;
            }
            auto const& next = state.threads[other].next;
            if (!next || next->kind != operation.kind || next->group != operation.group) {
                return std::nullopt;
            }
            join(known, state.threads[other].current);
            sum += next->value;
            group.push_back(other);
        }
        Step step{"", state};
        for (std::size_t const other : group) {
            if (operation.kind == Kind::barrier) {
                join(step.after.threads[other].current, known);
                join(step.after.threads[other].acquired, known);
            }
            step = answered(std::move(step.after), other, sum);
        }
        return step;
    }

    /// All outcomes of a load, store or addition.
    std::vector<Step> accesses(State const& state, std::size_t i) {
        Operation const operation = *state.threads[i].next;
        auto const& messages = state.memory[operation.word];
        std::size_t const known = state.threads[i].current[operation.word];
        for (std::size_t at = known + 1; at < messages.size(); ++at) {
            if (operation.order == Order::plain || messages[at].is_plain) {
                result_.problem = "race at " + program_.names_[operation.word];
                return {};
            }
        }
        if (operation.kind == Kind::store && known + 1 != messages.size()) {
            result_.problem = "unordered stores to " + program_.names_[operation.word];
            return {};
        }
        if (operation.kind != Kind::load) {
            return {write(state, i)};
        }
        std::vector<Step> steps;
        for (std::size_t at = known; at < messages.size(); ++at) {
            State after = state;
            learn(after.threads[i], messages[at], operation, at);
            steps.push_back(answered(std::move(after), i, messages[at].value));
        }
        return steps;
    }

    /// A store, or an addition, which reads the latest value and passes its view on.
    Step write(State state, std::size_t i) const {
        ThreadState& thread = state.threads[i];
        Operation const operation = *thread.next;
        auto& messages = state.memory[operation.word];
        KEYSWAP_EXPECTS(messages.size() < 256); // an index is one byte
        Message const latest = messages.back();
        Message written{operation.value, operation.order == Order::plain, thread.released};
        if (operation.kind == Kind::add) {
            learn(thread, latest, operation, messages.size() - 1);
            written.value += latest.value;
            join(written.view, latest.view);
        }
        thread.current[operation.word] = static_cast<std::uint8_t>(messages.size());
        thread.acquired[operation.word] = static_cast<std::uint8_t>(messages.size());
        if (operation.order == Order::release) {
            written.view = thread.current;
        }
        messages.push_back(std::move(written));
        return answered(std::move(state), i, operation.kind == Kind::add ? latest.value : 0);
    }

    /// Gives a thread an answer and runs it to its next operation.
    Step answered(State state, std::size_t i, std::uint64_t answer) const {
        constexpr std::array kinds{"loads", "stores to", "adds to", "fence", "barrier", "sum"};
        Operation const operation = *state.threads[i].next;
        std::string text = "thread " + std::to_string(i) + " " +
                           kinds[static_cast<std::size_t>(operation.kind)] + " " +
                           program_.names_[operation.word] + ", value " +
                           std::to_string(operation.value) + ", answer " + std::to_string(answer);
        state.threads[i].answers.push_back(answer);
        ask_next(state, i);
        return {std::move(text), std::move(state)};
    }

    /// Collapses spin loops: reading the same value twice in a row leaves the same state.
    void ask_next(State& state, std::size_t i) const {
        ThreadState& thread = state.threads[i];
        std::optional<Operation> const answered = thread.next;
        WeakThread own(thread.answers);
        try {
            program_.threads_[i].code(own);
            thread.next.reset();
        } catch (NextOperation const& next) {
            thread.next = next.operation;
        }
        auto& answers = thread.answers;
        if (answered && answered->kind == Kind::load && thread.next == answered &&
            thread.asked == answered && answers.back() == answers[answers.size() - 2]) {
            answers.pop_back();
        }
        thread.asked = answered;
    }

    WeakProgram const& program_;
    std::function<bool(FinalWords const&)> const& is_right_;
    std::unordered_set<std::string> seen_;
    SearchResult result_;
};

SearchResult WeakProgram::search(std::function<bool(FinalWords const&)> const& is_right) const {
    return WeakSearch(*this, is_right).run();
}

} // namespace keyswap::proptests
