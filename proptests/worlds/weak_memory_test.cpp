/// \file Litmus tests with known outcomes, and the mistakes that a search finds.

#include "proptests/worlds/weak_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace keyswap::proptests {
namespace {

using Ends = std::set<std::vector<std::uint64_t>>;

/// Values of some words in all final states of a program.
Ends ends_of(WeakProgram const& program, std::vector<Word> const& shown) {
    Ends ends;
    SearchResult const result = program.search([&](FinalWords const& words) {
        std::vector<std::uint64_t> end(shown.size());
        std::ranges::transform(shown, end.begin(), [&](Word word) { return words[word]; });
        ends.insert(end);
        return true;
    });
    EXPECT_EQ(result.problem, "");
    return ends;
}

struct Passing {
    Order store = Order::relaxed;
    Order load = Order::relaxed;
    bool has_fences = false;
    bool flag_first = false;
};

/// True if a value published by a flag can be read stale.
bool may_be_stale(Passing const& how) {
    WeakProgram program;
    Word const value = program.word("value");
    Word const flag = program.word("flag");
    Word const seen = program.word("seen");
    program.add_thread({.block = 0}, [=](WeakThread& own) {
        own.store(how.flag_first ? flag : value, 1, how.store);
        if (how.has_fences) {
            own.fence();
        }
        own.store(how.flag_first ? value : flag, 1, how.store);
    });
    program.add_thread({.block = 1}, [=](WeakThread& own) {
        while (own.load(flag, how.load) == 0) {
        }
        if (how.has_fences) {
            own.fence();
        }
        own.store(seen, own.load(value, Order::relaxed));
    });
    return ends_of(program, {seen}).contains({0});
}

TEST(WeakMemory, PassesAValueByReleaseAndAcquireOrFencesAlone) {
    EXPECT_FALSE(may_be_stale({.store = Order::release, .load = Order::acquire}));
    EXPECT_FALSE(may_be_stale({.has_fences = true}));
    EXPECT_TRUE(may_be_stale({}));
    EXPECT_TRUE(may_be_stale({.store = Order::release}));
    EXPECT_TRUE(may_be_stale({.load = Order::acquire}));
    EXPECT_TRUE(may_be_stale({.has_fences = true, .flag_first = true}));
}

TEST(WeakMemory, LetsTwoThreadsMissEachOthersStores) {
    WeakProgram program;
    std::vector<Word> const flags = program.words("flags", 2);
    std::vector<Word> const seen = program.words("seen", 2);
    for (std::size_t i = 0; i < 2; ++i) {
        program.add_thread({.block = i}, [=](WeakThread& own) {
            own.store(flags[i], 1, Order::release);
            own.store(seen[i], own.load(flags[1 - i], Order::acquire));
        });
    }
    EXPECT_EQ(ends_of(program, seen), (Ends{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(WeakMemory, KeepsTheOrderOfEachWord) {
    WeakProgram program;
    Word const counter = program.word("counter");
    std::vector<Word> const seen = program.words("seen", 2);
    program.add_thread({.block = 0}, [=](WeakThread& own) { own.add(counter, 1); });
    program.add_thread({.block = 1}, [=](WeakThread& own) { own.add(counter, 1); });
    program.add_thread({.block = 2}, [=](WeakThread& own) {
        for (Word const word : seen) {
            own.store(word, own.load(counter, Order::relaxed));
        }
    });
    EXPECT_EQ(ends_of(program, {counter}), (Ends{{2}}));
    EXPECT_EQ(ends_of(program, seen), (Ends{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
}

/// Two threads of a block that access one word.
std::string problem_of(std::function<void(WeakThread&, Word)> const& first,
                       std::function<void(WeakThread&, Word)> const& second) {
    WeakProgram program;
    Word const word = program.word("word");
    program.add_thread({.warp = 0}, [=](WeakThread& own) { first(own, word); });
    program.add_thread({.warp = 1}, [=](WeakThread& own) { second(own, word); });
    return program.search([](FinalWords const&) { return true; }).problem;
}

TEST(WeakMemory, FindsRacesAndThreadsThatWaitForEver) {
    auto const load = [](WeakThread& own, Word word) { own.load(word); };
    auto const store = [](WeakThread& own, Word word) { own.store(word, 1); };
    auto const announce = [](WeakThread& own, Word word) { own.store(word, 1, Order::relaxed); };
    auto const meet = [](WeakThread& own, Word) { own.barrier(Group::block); };
    auto const wait = [](WeakThread& own, Word word) {
        while (own.load(word, Order::relaxed) != 2) {
        }
    };
    EXPECT_EQ(problem_of(load, load), "");
    EXPECT_EQ(problem_of(store, load), "race at word");
    EXPECT_EQ(problem_of(load, announce), "race at word");
    EXPECT_EQ(problem_of(announce, announce), "unordered stores to word");
    EXPECT_EQ(problem_of(announce, wait), "stuck");
    EXPECT_EQ(problem_of(meet, load), "stuck");
    EXPECT_EQ(problem_of([&](auto& own, Word word) { store(own, word), meet(own, word); },
                         [&](auto& own, Word word) { meet(own, word), load(own, word); }),
              "");
}

} // namespace
} // namespace keyswap::proptests
