import type { Language } from "../words";

export type Example = { title: Record<Language, string>; query: string };

const day = 86_400_000;
const since = (days: number) => new Date(Date.now() - days * day).toISOString();

/** Questions that people ask, to begin with. Times are those of now, so that each can be asked as it is. */
export const examples = (): Example[] => [
  {
    title: { en: "Who holds what now?", ko: "지금 누가 무엇을 점유하고 있나요?" },
    query: `query {
  occupancies(where: { state: { eq: OCCUPIED } }, first: 50) {
    totalCount
    nodes { itemType itemName userId uiName startTime remainingSeconds }
  }
}`,
  },
  {
    title: { en: "What ends within the hour, soonest first?", ko: "한 시간 안에 끝나는 점유는?" },
    query: `query {
  occupancies(
    where: { state: { eq: OCCUPIED }, expireTime: { lt: "${since(-1 / 24)}" } }
    orderBy: { field: EXPIRE_TIME }
  ) {
    nodes { itemType itemName userId uiName remainingSeconds }
  }
}`,
  },
  {
    title: { en: "Who holds this item, and what happened to it?", ko: "이 대상은 누가 점유하고 있고, 무슨 일이 있었나요?" },
    query: `query {
  occupancy(itemType: "LOT", itemName: "LOT-1001") {
    state userId uiName startTime expireTime fencingToken
    history(first: 20) { nodes { at event userId actor comment } }
  }
}`,
  },
  {
    title: { en: "Who held it yesterday at this time?", ko: "어제 이 시각에는 누가 점유했나요?" },
    query: `query {
  holderAt(itemType: "LOT", itemName: "LOT-1001", at: "${since(1)}") {
    userId uiName startTime expireTime
  }
}`,
  },
  {
    title: { en: "What did one user do today?", ko: "한 사용자가 오늘 무엇을 했나요?" },
    query: `query {
  history(where: { userId: { eq: "kim" }, at: { gte: "${since(1)}" } }) {
    totalCount
    nodes { at event itemType itemName uiName }
  }
}`,
  },
  {
    title: { en: "Which holds were ended by force this week, and why?", ko: "이번 주에 강제로 해제된 점유와 그 사유는?" },
    query: `query {
  history(where: { event: { eq: FORCED }, at: { gte: "${since(7)}" } }) {
    totalCount
    nodes { at itemType itemName userId actor comment }
  }
}`,
  },
  {
    title: { en: "What ran out or lost its connection today?", ko: "오늘 만료되었거나 연결이 끊긴 점유는?" },
    query: `query {
  history(where: { event: { in: [EXPIRED, CONNECTION_LOST] }, at: { gte: "${since(1)}" } }) {
    totalCount
    nodes { at event itemType itemName userId uiName }
  }
}`,
  },
  {
    title: { en: "Who was refused what today?", ko: "오늘 누가 무엇을 거절당했나요?" },
    query: `query {
  denials(where: { at: { gte: "${since(1)}" } }) {
    nodes { firstAt itemType itemName userId uiName blockerUserId blockerUiName attempts waitedSeconds }
  }
}`,
  },
  {
    title: { en: "Which screens are in the way most often?", ko: "어느 화면이 가장 자주 막고 있나요?" },
    query: `query {
  topBlockers(by: SCREEN, where: { at: { gte: "${since(7)}", lt: "${since(0)}" } }, first: 10) {
    uiName denials attempts askers waitedSeconds gaveUp
  }
}`,
  },
  {
    title: { en: "Who wanted what the other one held?", ko: "서로가 점유한 것을 원했던 두 사람은?" },
    query: `query {
  crossedPairs(where: { at: { gte: "${since(7)}", lt: "${since(0)}" } }) {
    since
    one { userId itemName blockerUserId }
    other { userId itemName blockerUserId }
  }
}`,
  },
  {
    title: { en: "Do the service's own jobs run?", ko: "서비스 자체 작업이 잘 돌고 있나요?" },
    query: `query {
  slotLocks(prefix: "job:") {
    slotKey
    lock { state userId remainingSeconds }
    job { lastRunAt lastRunBy lastSeconds lastError nextDueAt overdue }
  }
}`,
  },
  {
    title: { en: "Which LOT IDs were given out last?", ko: "최근에 발급된 LOT ID는?" },
    query: `query {
  lotIds(first: 20) {
    nodes { lotId date seq userId requestId issuedAt voided voidReason }
  }
}`,
  },
  {
    title: { en: "Watch the floor live", ko: "현장을 실시간으로 보기" },
    query: `subscription {
  occupancyChanged(snapshot: true, filter: { itemTypes: ["LOT"] }) {
    kind event at
    occupancy { itemType itemName state userId uiName }
  }
}`,
  },
  {
    title: { en: "Take an item", ko: "대상 점유하기" },
    query: `mutation {
  occupy(input: { itemType: "LOT", itemName: "LOT-2001", uiName: "GraphiQL", ttlSeconds: 300 }) {
    ok code message
    occupancy { fencingToken expireTime userId }
  }
}`,
  },
  {
    title: { en: "Who am I?", ko: "나는 누구로 보이나요?" },
    query: `query {
  me { userId actor roles language }
}`,
  },
];
