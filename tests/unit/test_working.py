import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from config.settings import WorkingMemorySettings
from memory.audience import Scope, Visibility
from memory.errors import ModelUnavailable, RecordUnavailable
from memory.model import Exchange, Message, RecordedExchange, Speaker
from memory.tokens import EstimatedTokens, message_tokens
from memory.working import RETRY_TURNS, Window, WorkingMemory, window_messages
from tests.fakes.conversations import InMemoryConversations
from tests.fakes.small_model import Answer, ScriptedModel

START = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)
SCOPE = Scope("home", Visibility.community("home"))
ALICE, BOB = Speaker("m1", "Alice"), Speaker("m2", "Bob")
COUNTER = EstimatedTokens()
SUMMARY = "Alice asked about the meetup and the bot answered; nothing is open."
CHATTER = "we went on about the weather and the food and the people there, as one does, without saying much. " * 4


class Talk:
    """A working memory over a store, and a clock that goes on by a minute with each message."""

    def __init__(
        self,
        answer: Answer = SUMMARY,
        *,
        store: InMemoryConversations | None = None,
        available: bool = True,
        timeout_s: float = 30.0,
        budget: int = 2_000,
    ) -> None:
        self.store = store or InMemoryConversations()
        self.model = ScriptedModel(answer, available=available)
        self.settings = WorkingMemorySettings(budget_tokens=budget, pinned_budget_tokens=400)
        self.at = START
        self.memory = self.beside(timeout_s)

    def beside(self, timeout_s: float = 30.0) -> WorkingMemory:
        """Another working memory over the same store, as after a restart or in another process."""
        return WorkingMemory(self.store, self.model, COUNTER, self.settings, lambda: self.at, model_timeout_s=timeout_s)

    async def say(
        self,
        text: str,
        reply: str | None = "I see.",
        *,
        speaker: Speaker = ALICE,
        conversation: str = "general",
        memory: WorkingMemory | None = None,
    ) -> RecordedExchange:
        """One message, its answer, and the compression that becomes due, as the reply path does it."""
        memory = memory or self.memory
        self.at += timedelta(minutes=1)
        await memory.load(conversation, self.at)
        recorded = await self.store.record(
            Exchange(
                message=Message(conversation, SCOPE, speaker, text, self.at),
                reply_text=reply,
                replied_at=self.at if reply is not None else None,
                degraded=False,
                recalled_ids=(),
                extract="no",
            )
        )
        memory.remember(recorded)
        await memory.compress_if_needed(conversation)
        return recorded

    async def window(
        self, conversation: str = "general", budget: int = 2_000, memory: WorkingMemory | None = None
    ) -> Window:
        memory = memory or self.memory
        return memory.window(await memory.load(conversation, self.at), budget, now=self.at)


def shown(window: Window) -> str:
    return "\n".join(content for _, content in window_messages(window, "en"))


async def test_early_details_last_through_sixty_rounds_within_budget_in_each() -> None:
    talk = Talk()
    await talk.say("The early bird ticket is $49.50 until March 15th")
    await talk.say("报名链接是 https://example.com/join?x=1", speaker=BOB)
    for number in range(60):
        await talk.say(f"{CHATTER} topic {'abcdefghij'[number % 10]}", CHATTER)
        await talk.memory.settle()
        window = await talk.window()
        assert window.tokens <= 2_000
        assert message_tokens(window_messages(window, "en"), COUNTER) <= 2_003
        last = [turn.text for turn in talk.store.turns["general"][-6:]]
        assert [turn.text for turn in window.turns][-6:] == last
    window = await talk.window()
    assert window.summary == SUMMARY
    assert "The early bird ticket is $49.50 until March 15th" in shown(window)
    assert "https://example.com/join?x=1" in shown(window)
    assert len(talk.store.turns["general"]) == 124
    assert len(talk.model.prompts) <= 0.5 * 62


async def test_a_new_summary_is_made_from_the_one_before() -> None:
    talk = Talk()
    while len(talk.model.prompts) < 2:
        await talk.say(CHATTER, CHATTER)
        await talk.memory.settle()
    assert SUMMARY in talk.model.prompts[1].messages[1][1]


@pytest.mark.parametrize(
    "answer",
    [
        ModelUnavailable(),
        *(
            "",
            "   ",
            "I'm sorry, but I cannot help with that.",
            "抱歉，我无法总结这段对话。",
            "word " * 400,
            "the cat " * 60,
        ),
        *(
            "The ticket costs $77.",
            "见 https://evil.example/x",
            "Alice said 三百五十 is fine.",
            "他们聊了聊天气和吃的东西。",
        ),
        lambda prompt: prompt.messages[0][1],
    ],
)
async def test_failed_or_nonsense_summary_changes_nothing(answer: Answer) -> None:
    talk = Talk(answer)
    for _ in range(12):
        await talk.say(CHATTER, CHATTER)
        await talk.memory.settle()
    state = await talk.memory.load("general", talk.at)
    assert talk.model.prompts
    assert (state.summary, state.summarised_seq, len(state.turns)) == ("", 0, 24)
    assert (await talk.window()).tokens <= 2_000


async def test_a_summary_that_never_comes_is_given_up() -> None:
    talk = Talk(timeout_s=0.01)
    talk.model.gate.clear()
    for _ in range(10):
        await talk.say(CHATTER, CHATTER)
    await talk.memory.settle()
    state = await talk.memory.load("general", talk.at)
    assert (state.summary, len(state.turns)) == ("", 20)


async def test_a_failing_model_is_not_asked_again_with_every_message() -> None:
    talk = Talk(ModelUnavailable())
    for _ in range(60):
        await talk.say(CHATTER, CHATTER)
        await talk.memory.settle()
    assert 2 <= len(talk.model.prompts) <= 120 / (2 * RETRY_TURNS)
    talk.model.answer = SUMMARY
    for _ in range(30):
        await talk.say(CHATTER, CHATTER)
        await talk.memory.settle()
    assert (await talk.window()).summary == SUMMARY


async def test_details_stay_in_sight_while_summarising_fails() -> None:
    talk = Talk(ModelUnavailable())
    await talk.say("The fee is 99 元 per person")
    for _ in range(40):
        await talk.say(CHATTER, CHATTER)
        await talk.memory.settle()
    window = await talk.window()
    assert "The fee is 99 元 per person" in [pin.text for pin in window.pins]
    assert window.tokens <= 2_000


async def test_without_a_model_the_oldest_turns_leave_the_window_but_not_the_record() -> None:
    talk = Talk(available=False)
    await talk.say("会费是 99 元")
    for number in range(40):
        await talk.say(f"{CHATTER} {number}", CHATTER)
        await talk.memory.settle()
    state = await talk.memory.load("general", talk.at)
    window = await talk.window()
    assert talk.model.prompts == []
    assert state.summary == ""
    assert state.summarised_seq > 0
    assert [turn.text for turn in window.turns][-2] == f"{CHATTER} 39"
    assert "会费是 99 元" in [pin.text for pin in window.pins]
    assert len(talk.store.turns["general"]) == 82


async def test_new_turns_that_arrive_during_compression_are_kept() -> None:
    talk = Talk()
    talk.model.gate.clear()
    while not talk.model.prompts:
        await talk.say(CHATTER, CHATTER)
        await asyncio.sleep(0)
    for number in range(5):
        await talk.say(f"news {'abcde'[number]}")
    during = await talk.window()
    assert during.summary == ""
    talk.model.gate.set()
    await talk.memory.settle()
    state = await talk.memory.load("general", talk.at)
    assert len(talk.model.prompts) == 1
    assert state.summary == SUMMARY
    assert [turn.text for turn in state.turns if turn.text.startswith("news")] == [f"news {x}" for x in "abcde"]
    assert [turn.seq for turn in state.turns] == list(range(state.summarised_seq + 1, state.last_seq + 1))


async def test_restart_gives_the_same_window() -> None:
    talk = Talk()
    for number in range(25):
        await talk.say(f"{CHATTER} 价格 {number + 10} 元", CHATTER, speaker=(ALICE, BOB)[number % 2])
        await talk.memory.settle()
    assert await talk.window(memory=talk.beside()) == await talk.window()


async def test_turns_written_by_another_process_are_noticed() -> None:
    talk = Talk()
    other = talk.beside()
    await talk.say("first")
    await talk.say("from elsewhere", memory=other)
    await talk.say("third")
    state = await talk.memory.load("general", talk.at)
    assert [turn.text for turn in state.turns] == ["first", "I see.", "from elsewhere", "I see.", "third", "I see."]


async def test_a_compression_stored_by_another_process_wins() -> None:
    talk = Talk(budget=100_000)
    for _ in range(20):
        await talk.say(CHATTER, CHATTER)
    other = talk.beside()
    assert await other.compress("general")
    talk.model.answer = "Something else was said."
    assert not await talk.memory.compress("general")
    assert (await talk.window(budget=100_000)).summary == SUMMARY
    assert await talk.memory.load("general", talk.at) == await other.load("general", talk.at)


async def test_the_record_is_read_once_per_conversation() -> None:
    talk = Talk()
    for _ in range(5):
        await talk.say("hello")
    assert talk.store.loads == 1


async def test_a_duplicate_adds_no_turn() -> None:
    talk = Talk()
    recorded = await talk.say("hello")
    talk.memory.remember(recorded)
    talk.memory.remember(RecordedExchange(None, None, duplicate=True))
    assert len((await talk.memory.load("general", talk.at)).turns) == 2


async def test_conversations_do_not_bleed_into_each_other() -> None:
    talk = Talk(lambda prompt: "They spoke of apples." if "apples" in prompt.messages[1][1] else "They spoke of pears.")
    for _ in range(20):
        await talk.say(f"apples $11 {CHATTER}", "more apples", conversation="one")
        await talk.say(f"pears $22 {CHATTER}", "more pears", conversation="two")
    await talk.memory.settle()
    one, two = shown(await talk.window("one")), shown(await talk.window("two"))
    assert "apples" in one
    assert "pears" in two
    assert "pears" not in one
    assert "apples" not in two
    assert all(not ("apples" in text and "pears" in text) for text in (p.messages[1][1] for p in talk.model.prompts))


async def test_reset_empties_the_window_and_stops_the_compression() -> None:
    talk = Talk()
    talk.model.gate.clear()
    while not talk.model.prompts:
        await talk.say(CHATTER, CHATTER)
        await asyncio.sleep(0)
    await talk.memory.end_session("general")
    talk.model.gate.set()
    await talk.memory.settle()
    await talk.say("a new start")
    window = await talk.window()
    assert window.summary == ""
    assert [turn.text for turn in window.turns] == ["a new start", "I see."]


async def test_an_idle_session_is_over() -> None:
    talk = Talk()
    await talk.say("the fee is $49")
    talk.at += timedelta(hours=7)
    assert (await talk.window()).turns == ()
    await talk.say("good morning")
    assert [turn.text for turn in (await talk.window()).turns] == ["good morning", "I see."]


async def test_an_unreachable_record_is_reported_by_load_and_survived_by_compression() -> None:
    talk = Talk()
    for _ in range(10):
        await talk.say(CHATTER, CHATTER)
        await talk.memory.settle()
    talk.store.available = False
    assert not await talk.memory.compress("general")
    with pytest.raises(RecordUnavailable):
        await talk.memory.load("elsewhere", talk.at)
    talk.store.available = True
    assert (await talk.window()).turns


async def test_close_stops_what_runs() -> None:
    talk = Talk()
    talk.model.gate.clear()
    while not talk.model.prompts:
        await talk.say(CHATTER, CHATTER)
        await asyncio.sleep(0)
    await talk.memory.close()
    state = await talk.beside().load("general", talk.at)
    assert state.summary == ""


async def test_after_a_wipe_the_cache_holds_nothing() -> None:
    talk = Talk()
    await talk.say("hello")
    talk.store.turns["general"].clear()
    await talk.memory.drop_cache()
    assert (await talk.memory.load("general", talk.at)).turns == ()


async def test_only_the_most_recent_conversations_are_held() -> None:
    talk = Talk()
    memory = WorkingMemory(talk.store, talk.model, COUNTER, talk.settings, lambda: talk.at, max_conversations=2)
    for name in ("a", "b", "c", "c", "b", "a"):
        await talk.say("hello", conversation=name, memory=memory)
    assert talk.store.loads == 4
    assert len((await memory.load("a", talk.at)).turns) == 4


async def test_long_silent_groups_are_compressed_too() -> None:
    talk = Talk()
    for number in range(80):
        await talk.say(CHATTER, None, speaker=(ALICE, BOB)[number % 2])
        await talk.memory.settle()
    window = await talk.window()
    assert window.summary == SUMMARY
    assert window.tokens <= 2_000
